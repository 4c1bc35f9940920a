"""An engine that builds, tags, lists and removes images in memory, behind the methods of docker-py that we use.

A build reads the context as an engine does, says one line a step and what `says` adds, and fails where `says` holds an
error. `kept` has the error with which it refuses to remove an image.
"""

import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import requests
from docker.errors import APIError, ImageNotFound


class FakeImageEngine:
    def __init__(self, *, says: Sequence[Mapping[str, Any]] = (), bases: Sequence[str] = ()) -> None:
        self.says = says
        self.images_by_id: dict[str, dict[str, Any]] = {}
        self.ids_by_name: dict[str, str] = {}
        self.kept: dict[str, Exception] = {}
        self.imported: dict[str, bytes] = {}
        self.context: dict[str, tarfile.TarInfo] = {}
        self.contents: dict[str, bytes] = {}
        self.arguments: dict[str, Any] = {}
        for name in bases:
            self.add(name)

    def add(self, name: str | None, labels: Mapping[str, str] | None = None, created: int = 0) -> str:
        """Adds an image, named or not, and gives its id."""
        image_id = f"sha256:{len(self.images_by_id) + 1:064x}"
        self.images_by_id[image_id] = {
            "Id": image_id,
            "Size": 1000,
            "Created": created,
            "Config": {"Labels": None if labels is None else dict(labels)},
        }
        if name is not None:
            self.ids_by_name[name] = image_id
        return image_id

    def inspect_image(self, name: str) -> dict[str, Any]:
        image_id = self.ids_by_name.get(name, name)
        if image_id not in self.images_by_id:
            raise ImageNotFound(f"No such image: {name}")
        return self.images_by_id[image_id]

    def build(self, **arguments: Any) -> Iterator[Mapping[str, Any]]:
        self.arguments = arguments
        with tarfile.open(fileobj=arguments["fileobj"]) as context:
            for entry in context:
                self.context[entry.name] = entry
                file = context.extractfile(entry)
                if file is not None:
                    self.contents[entry.name] = file.read()
        yield {"stream": "Step 1/2 : FROM base"}
        yield {"stream": "Step 2/2 : RUN something"}
        yield from self.says
        if not any("error" in event for event in self.says):
            image_id = self.add(arguments["tag"], arguments["labels"])
            yield {"stream": f" ---> {image_id[7:19]}\n"}

    def images(self, filters: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert filters["dangling"] is True
        named = set(self.ids_by_name.values())
        return [
            image
            for image_id, image in self.images_by_id.items()
            if image_id not in named and filters["label"] in (image["Config"]["Labels"] or {})
        ]

    def remove_image(self, image_id: str) -> None:
        if image_id in self.kept:
            raise self.kept[image_id]
        if self.images_by_id.pop(image_id, None) is None:
            raise api_error(404)

    def import_image(self, *, src: str, repository: str) -> None:
        self.imported[repository] = Path(src).read_bytes()
        self.add(repository)


def api_error(status: int) -> APIError:
    """Gives the error that docker-py raises for an answer with this status."""
    response = requests.Response()
    response.status_code = status
    return APIError("no", response=response, explanation=f"the engine answered {status}")
