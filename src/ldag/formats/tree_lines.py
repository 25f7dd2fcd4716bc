"""Trees in the text form: a line for every branch, questions nested by braces, however deep."""

import re
from dataclasses import dataclass, field
from typing import Self

from ldag.formats.lexer import Scanner
from ldag.formats.record import BranchRecord, QuestionRecord, TreeRecord
from ldag.formats.words import spell_name, spell_state

_CLASS = re.compile(r"p([1-9][0-9]{0,9})")


@dataclass
class TreeLines:
    """A tree of which some lines were read."""

    node: str
    where: str
    variables: list[str] = field(default_factory=list)
    branches: list[list[BranchRecord]] = field(default_factory=list)
    path: list[int] = field(default_factory=list)

    @classmethod
    def begin(cls, node: str, scanner: Scanner) -> Self:
        """Read the rest of the first line."""
        lines = cls(node, f"{scanner.path}: ")
        lines._ask(scanner)
        return lines

    def record(self) -> TreeRecord:
        """Return the whole tree."""
        questions = zip(self.variables, self.branches, strict=True)
        return TreeRecord(self.node, tuple(QuestionRecord(v, tuple(b)) for v, b in questions), self.where)

    def accept(self, scanner: Scanner) -> bool:
        """Read a line, and tell whether it was the last."""
        if scanner.accept("}"):
            scanner.expect_end("the end of the line after '}'")
            self.path.pop()
            return not self.path
        states = scanner.states()
        scanner.expect(":", "',' and a state, or ':' and where these states lead")
        own = self.branches[self.path[-1]]
        given = _CLASS.fullmatch(scanner.peek())
        mark = scanner.position
        if given:
            scanner.take()
        if given and scanner.is_at_end:
            own.append(BranchRecord(states, number=int(given[1]) - 1))
            return False
        scanner.position = mark
        own.append(BranchRecord(states, question=len(self.variables)))
        self._ask(scanner)
        return False

    def _ask(self, scanner: Scanner) -> None:
        self.path.append(len(self.variables))
        self.variables.append(scanner.name("a class such as p1, or the variable that is asked about"))
        self.branches.append([])
        scanner.expect("{", "'{' after the variable that is asked about")
        scanner.expect_end("the end of the line after '{'")


def write_tree_lines(tree: TreeRecord) -> str:
    """Return the lines of a tree."""
    lines = [f"{spell_name(tree.node)} ? {spell_name(tree.questions[0].variable)} {{"]
    todo: list[tuple[int, BranchRecord | None]] = [(1, None)]
    todo += [(1, branch) for branch in reversed(tree.questions[0].branches)]
    while todo:
        depth, branch = todo.pop()
        if branch is None:
            lines.append(f"{'  ' * (depth - 1)}}}")
            continue
        states = f"{'  ' * depth}{', '.join(map(spell_state, branch.states))}"
        if branch.question is None:
            assert branch.number is not None
            lines.append(f"{states}: p{branch.number + 1}")
            continue
        question = tree.questions[branch.question]
        lines.append(f"{states}: {spell_name(question.variable)} {{")
        todo.append((depth + 1, None))
        todo += [(depth + 1, one) for one in reversed(question.branches)]
    return "\n".join(lines)
