"""Read documents from a zip file: from its text files, as from a folder, or from the only file in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from zipfile import ZipInfo

from topicgrove.corpus.documents import Blocks, Documents, Fields
from topicgrove.corpus.folders import BLOCK_BYTES, BLOCK_FILES, add_file, documents_among
from topicgrove.corpus.formats import format_of_member, format_of_name
from topicgrove.corpus.names import listed
from topicgrove.corpus.textfiles import DOCUMENT_MAX_BYTES, FilePath, TextStream
from topicgrove.corpus.zips import Archive, open_zip

_NOTES = ("readme", "license", "licence", "copying")


def zipped(
    path: FilePath, fields: Fields, max_bytes: int, read: Callable[[TextStream, str, Fields, int], Blocks]
) -> Blocks:
    """Read the documents of a zip file; ``read`` reads a single file in it, as a stream in some format."""
    with open_zip(path) as archive:
        members = archive.members()
        only = _only_file(members, archive.name)
        if only is None:
            yield from _text_files(archive, members, fields, max_bytes)
        else:
            archive.check([only])
            stream = archive.stream(only)
            yield from read(stream, format_of_member(stream, only.filename), fields, max_bytes)


def _only_file(members: list[ZipInfo], name: str) -> ZipInfo | None:
    """Return the file that holds all documents; None if each file is a document."""
    if len(members) == 1:
        return members[0]
    tables = [member for member in members if format_of_name(member.filename) is not None]
    texts = [member for member in members if member.filename.endswith(".txt") and not _is_note(member)]
    if not tables:
        return None
    if len(tables) == 1 and not texts:
        return tables[0]
    names = listed([member.filename for member in tables + texts])
    raise ValueError(f"{name}: which of its files hold the documents? Unpack it, and give one of {names}, or a folder")


def _is_note(member: ZipInfo) -> bool:
    return PurePosixPath(member.filename).name.lower().startswith(_NOTES)


def _text_files(archive: Archive, members: list[ZipInfo], fields: Fields, max_bytes: int) -> Blocks:
    """Read one document per file, in turn; threads parse them."""
    texts = documents_among(members, lambda member: member.filename, archive.name)
    archive.check(texts)
    n_outer = _n_outer_folders(texts)
    block: list[tuple[str, tuple[str, ...], bytes]] = []
    n_bytes = n_all = 0
    for number, member in enumerate(sorted(texts, key=lambda member: member.filename.split("/")), start=1):
        data = archive.stream(member).lines.rest(DOCUMENT_MAX_BYTES)
        block.append((archive.place(member), tuple(member.filename.split("/")[n_outer:]), data))
        n_bytes += len(data)
        n_all += len(data)
        if n_all > max_bytes:
            raise ValueError(f"{archive.name}: more than max_bytes={max_bytes} bytes of text")
        if n_bytes >= BLOCK_BYTES or len(block) == BLOCK_FILES or number == len(texts):
            yield partial(_parse, block, n_bytes, number / len(texts), fields)
            block, n_bytes = [], 0


def _n_outer_folders(members: list[ZipInfo]) -> int:
    """Return 1 if all files are in one folder, as when a folder was zipped, and else 0."""
    tops = {member.filename.partition("/")[0] if "/" in member.filename else "" for member in members}
    return int(len(tops) == 1 and tops != {""})


def _parse(files: list[tuple[str, tuple[str, ...], bytes]], n_bytes: int, share: float, fields: Fields) -> Documents:
    documents = Documents(n_bytes=n_bytes, share=share)
    for place, parts, data in files:
        add_file(documents, data, place, parts, fields)
    return documents
