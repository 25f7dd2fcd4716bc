"""Latent projection and m-separation by going through all paths."""

from collections.abc import Collection, Iterator, Sequence

Parents = Sequence[Collection[int]]


def directed_paths(parents: Parents, start: int, end: int) -> Iterator[list[int]]:
    """All paths along the arrows."""
    todo = [[start]]
    while todo:
        path = todo.pop()
        if path[-1] == end and len(path) > 1:
            yield path
            continue
        todo += [[*path, child] for child, above in enumerate(parents) if path[-1] in above]


def project(parents: Parents, latent: Collection[int]) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Arrows, and arcs with the smaller number first, over the nodes that are not latent."""
    observed = [node for node in range(len(parents)) if node not in latent]

    def through_latents(a: int, b: int) -> bool:
        return any(all(node in latent for node in path[1:-1]) for path in directed_paths(parents, a, b))

    arrows = {(a, b) for a in observed for b in observed if through_latents(a, b)}
    reached = [{b for b in observed if through_latents(cause, b)} for cause in latent]
    return arrows, {(a, b) for below in reached for a in below for b in below if a < b}


def is_d_separated(parents: Parents, a: Collection[int], b: Collection[int], given: Collection[int]) -> bool:
    """Whether every path between two sets is blocked, path by path."""
    n = len(parents)
    below = {v: {v, *(w for w in range(n) if any(directed_paths(parents, v, w)))} for v in range(n)}

    def is_open(path: list[int]) -> bool:
        for before, node, after in zip(path, path[1:], path[2:], strict=False):
            if before in parents[node] and after in parents[node]:
                if not below[node] & set(given):
                    return False
            elif node in given:
                return False
        return True

    todo = [[start] for start in a]
    while todo:
        path = todo.pop()
        if path[-1] in b:
            if is_open(path):
                return False
            continue
        last = path[-1]
        near = [v for v in range(n) if v in parents[last] or last in parents[v]]
        todo += [[*path, v] for v in near if v not in path]
    return True
