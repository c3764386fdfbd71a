#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes PNG of a picture in binary PPM, which `radiosity --picture FILE` writes."""
import argparse
import pathlib
import re
import sys

import numpy
import style


def pixels_of(file):
    """An array of lines of (red, green, blue), from 0 to 255."""
    data = pathlib.Path(file).read_bytes()
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", data)
    if not head:
        sys.exit(f"plot_picture.py: {file} is no binary PPM")
    width, height = int(head[1]), int(head[2])
    body = data[head.end() :]
    if len(body) != 3 * width * height:
        sys.exit(f"plot_picture.py: {file} has {len(body)} bytes for {width} x {height} pixels")
    return numpy.frombuffer(body, numpy.uint8).reshape(height, width, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ppm")
    parser.add_argument("--out", default="build/report", help="folder of the picture")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (pathlib.Path(arguments.ppm).stem + ".png")
    style.plt.imsave(file, pixels_of(arguments.ppm))
    print(file)


if __name__ == "__main__":
    main()
