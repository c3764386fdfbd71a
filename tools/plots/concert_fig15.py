# SPDX-License-Identifier: BSD-3-Clause
"""Figure 15 on simulated ranks: speed-ups over what the smallest number of ranks computes, and what
they are to the paper's."""
import concert_paper as paper

PART = "iccedar-simulated-t3d"
NEAR = 0.1  # of efficiency
LITTLE = 0.05  # of time, that pull adds or loses


def rows_of(parts):
    return parts.get(PART, {}).get("rows", [])


def title(rows):
    ranks = sorted({row["ranks"] for row in rows})
    span = f", {ranks[0]} to {ranks[-1]} ranks" if ranks else ""
    return f"Cray T3D, simulated{span}"


def by_version(rows):
    """{version: {ranks: speed-up}}"""
    found = {}
    for row in rows:
        found.setdefault(row["version"], {})[row["ranks"]] = row["speedup"]
    return found


def point_words(found, ranks):
    """The paper's points, met or not."""
    words = []
    for version, theirs in paper.CEDAR.items():
        ours = found[version][ranks]
        is_met = ranks == paper.CEDAR_AT and abs(ours - theirs) / ranks <= NEAR
        verdict = "met" if is_met else "not met"
        if ranks != paper.CEDAR_AT:
            verdict = f"at {paper.CEDAR_AT}"
        words.append(f"{version} {ours:.1f} (paper {theirs}, {verdict})")
    others = [
        f"{version} {of[ranks]:.1f}"
        for version, of in found.items()
        if version not in paper.CEDAR and ranks in of
    ]
    return f"Speed-up at {ranks} ranks: {', '.join(words + others)}."


def gain_words(found, ranks):
    ours = found["stack"][ranks] / found["base"][ranks]
    theirs = paper.CEDAR["stack"] / paper.CEDAR["base"]
    verdict = "not as in the paper"
    if ours > 1 + LITTLE:
        is_near = abs(ours / theirs - 1) <= NEAR
        verdict = "as in the paper" if is_near else "in the paper's direction, not by as much"
        if ours > theirs and not is_near:
            verdict = "in the paper's direction, by more"
    return f"The stack makes base {ours:.2f} times as fast, in the paper {theirs:.1f}: {verdict}."


def pull_words(found, ranks):
    """In the paper pull adds little, and loses a little on the most ranks."""
    most = max(found["stack"])
    gains = {at: found["stack+pull"][at] / found["stack"][at] - 1 for at in {ranks, most}}
    listed = ", ".join(f"{100 * gain:+.1f} % at {at}" for at, gain in sorted(gains.items()))
    is_little = all(abs(gain) <= LITTLE for gain in gains.values())
    verdict = "little, as in the paper" if is_little else "not little, unlike the paper"
    loss = "a loss on the most ranks, too" if gains[most] < 0 else "no loss on the most ranks"
    return f"Pull changes the stack's speed by {listed}: {verdict}; {loss}."


def words(rows):
    found = by_version(rows)
    common = [ranks for ranks in found["base"] if all(ranks in of for of in found.values())]
    ranks = paper.CEDAR_AT if paper.CEDAR_AT in common else max(common)
    return [point_words(found, ranks), gain_words(found, ranks), pull_words(found, ranks)]
