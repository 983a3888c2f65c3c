"""What every scenario stands on: the clients, and how to make and to expect things."""

import base64
import os
import time
from datetime import date, timedelta
from pathlib import Path

import gitlab

URL = os.environ["ALCOVE_URL"].rstrip("/")
TOKEN = os.environ["ALCOVE_TOKEN"]
RUN = f"{int(time.time() * 1000):x}"
REPORT = Path(__file__).parent.parent / "sast-report.json"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

admin = gitlab.Gitlab(URL, private_token=TOKEN, timeout=30)
anonymous = gitlab.Gitlab(URL, timeout=30)
scenarios = []


def scenario(function):
    scenarios.append(function)
    return function


def equal(actual, expected, what):
    assert actual == expected, f"{what}: expected {expected!r}, got {actual!r}"


def refused(ask, status, message=None):
    """Asks, and expects python-gitlab's error with this status and, when given, this message."""
    try:
        answer = ask()
    except gitlab.exceptions.GitlabError as error:
        equal(error.response_code, status, "status of the refusal")
        if message is not None:
            equal(error.error_message, message, "message of the refusal")
        return error
    raise AssertionError(f"expected a refusal with {status}, got {answer!r}")


def as_token(token):
    return gitlab.Gitlab(URL, private_token=token, timeout=30)


def new_user(name, scopes=("api",)):
    user = admin.users.create(
        {
            "email": f"{name}-{RUN}@example.test",
            "username": f"{name}-{RUN}",
            "name": name.capitalize(),
            "password": "correct horse battery",
            "skip_confirmation": True,
            "reset_password": False,
        }
    )
    token = user.personal_access_tokens.create(
        {"name": "story", "scopes": list(scopes), "expires_at": (date.today() + timedelta(days=7)).isoformat()}
    )
    return user, as_token(token.token)


def new_project(path, **attributes):
    group = admin.groups.list(search=f"harbour-{RUN}")[0]
    return admin.projects.create({"name": path, "path": path, "namespace_id": group.id, **attributes})
