"""What people do with uploads, topics and vulnerabilities, done with an unchanged python-gitlab (3.12 or newer).

ALCOVE_URL and ALCOVE_TOKEN (of an administrator) say where.
"""

import base64
import os
import sys
import time
import traceback
import urllib.request
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
nobody = gitlab.Gitlab(URL, timeout=30)
chapters = []


def chapter(function):
    chapters.append(function)
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


@chapter
def the_administrator_signs_in():
    admin.auth()
    equal(admin.user.username, "root", "name of the administrator")
    assert admin.user.is_admin
    version, revision = admin.version()
    assert version[0].isdigit() and revision, f"version {version!r}, revision {revision!r}"


@chapter
def a_user_is_created_found_and_removed():
    user, own = new_user("nadia")
    equal(user.state, "active", "state")
    equal([found.id for found in admin.users.list(username=user.username)], [user.id], "users of that name")
    equal([found.id for found in admin.users.list(search=user.username)], [user.id], "users found")
    equal(admin.users.get(user.id).email, f"nadia-{RUN}@example.test", "address")
    own.auth()
    equal(own.user.id, user.id, "who the token is")
    other = {"email": "a@b.test", "username": "ab", "name": "A", "password": "correct horse battery"}
    refused(lambda: own.users.create(other), 403)
    user.delete(hard_delete=True)
    refused(lambda: admin.users.get(user.id), 404)


@chapter
def a_revoked_token_is_dead_at_once():
    user, own = new_user("pat")
    own.auth()
    token = admin.personal_access_tokens.list(user_id=user.id)[0]
    admin.personal_access_tokens.delete(token.id)
    refused(own.auth, 401)
    refused(own.topics.list, 401)


@chapter
def a_user_is_blocked_deactivated_and_comes_back():
    user, own = new_user("visitor")
    user.block()
    refused(own.auth, 403, "403 Forbidden - Your account has been blocked.")
    equal(admin.users.get(user.id).state, "blocked", "state")
    refused(user.activate, 403)
    user.unblock()
    own.auth()
    user.deactivate()
    equal(admin.users.get(user.id).state, "deactivated", "state")
    refused(own.auth, 403)
    user.activate()
    own.auth()
    user.name = "Renamed Guest"
    user.save()
    equal(own.users.get(user.id).name, "Renamed Guest", "name")


@chapter
def a_token_knows_itself_and_is_replaced():
    user, own = new_user("holder")
    itself = own.http_get("/personal_access_tokens/self")
    equal((itself["user_id"], itself["active"]), (user.id, True), "the token")
    fresh = own.http_post("/personal_access_tokens/self/rotate")
    refused(own.auth, 401)
    as_token(fresh["token"]).auth()
    # Used for rotating once more, the old token takes the new one along.
    refused(lambda: own.http_post("/personal_access_tokens/self/rotate"), 401)
    refused(as_token(fresh["token"]).auth, 401)


@chapter
def sudo_is_for_administrators():
    user, own = new_user("subject")
    equal(admin.http_get("/user", sudo=user.username)["id"], user.id, "for whom the administrator acts")
    equal(admin.http_post("/projects", post_data={"name": "by body", "sudo": user.id})["creator_id"], user.id, "creator")
    refused(lambda: own.http_get("/user", sudo="root"), 403, "403 Forbidden - Must be admin to use sudo")
    refused(lambda: admin.http_get("/user", sudo="nobody-here"), 404)


@chapter
def an_organization_has_topics_of_its_own():
    made = admin.http_post("/organizations", post_data={"name": f"Org {RUN}", "path": f"org-{RUN}"})
    topic = admin.topics.create({"name": f"own-{RUN}", "title": "Own", "organization_id": made["id"]})
    equal(topic.organization_id, made["id"], "organization")
    _, own = new_user("foreigner")
    refused(lambda: own.topics.get(topic.id), 404, "404 Organization Not Found")
    topic.delete()


@chapter
def an_impersonation_token_comes_and_goes():
    user, _ = new_user("imp")
    token = user.impersonationtokens.create({"name": "robot", "scopes": ["api"]})
    own = as_token(token.token)
    own.auth()
    equal(own.user.id, user.id, "who the token is")
    equal([found.id for found in user.impersonationtokens.list(state="active")], [token.id], "active tokens")
    token.delete()
    equal(user.impersonationtokens.list(state="active"), [], "active tokens")
    refused(own.auth, 401)


@chapter
def a_group_and_a_project_in_it():
    path = f"harbour-{RUN}"
    group = admin.groups.create({"name": path, "path": path, "visibility": "public"})
    equal(admin.groups.get(path).id, group.id, "group by path")
    project = new_project("charts", visibility="public", description="Harbour charts", topics=["tides", "maps"])
    equal(project.path_with_namespace, f"{path}/charts", "path")
    equal(project.namespace["id"], group.id, "namespace")
    equal(project.topics, ["maps", "tides"], "topics")
    equal(project.tag_list, ["maps", "tides"], "tag_list")
    equal(admin.projects.get(f"{path}/charts").id, project.id, "project by path")
    equal(nobody.projects.get(project.id).id, project.id, "public project for nobody")
    refused(lambda: new_project("charts"), 400)


@chapter
def the_object_is_changed_and_saved():
    project = admin.projects.get(f"harbour-{RUN}/charts")
    project.topics = ["winds", "maps"]
    project.description = "Sea charts"
    project.save()
    again = admin.projects.get(project.id)
    equal((again.topics, again.description), (["maps", "winds"], "Sea charts"), "what was saved")
    lazy = admin.projects.get(project.id, lazy=True)
    lazy.topics = ["maps"]
    lazy.save()
    equal(admin.projects.get(project.id).topics, ["maps"], "topics")


@chapter
def projects_are_listed_by_topic_and_page():
    topic = f"fleet{RUN}"
    for number in range(5):
        new_project(f"boat-{number}", topics=[topic, f"n{number}"])
    every = admin.projects.list(topic=topic, per_page=2, get_all=True)
    equal([project.path for project in every], [f"boat-{number}" for number in (4, 3, 2, 1, 0)], "all pages")
    page = admin.projects.list(topic=topic, per_page=2, iterator=True)
    equal((page.total, page.total_pages, page.next_page, page.prev_page), (5, 3, 2, None), "numbers of the first page")
    equal(len(list(page)), 5, "projects iterated over")
    equal([project.path for project in admin.projects.list(topic=[topic, "n3"])], ["boat-3"], "both topics")
    equal(admin.projects.list(topic=topic, page=9), [], "a page past the end")
    keyset = admin.projects.list(topic=topic, pagination="keyset", order_by="id", per_page=2, get_all=True)
    equal(len(keyset), 5, "projects by keyset")


@chapter
def everything_is_walked_by_keyset():
    by_id = {"pagination": "keyset", "order_by": "id", "per_page": 2, "iterator": True}
    walked = [project.id for project in admin.projects.list(**by_id)]
    equal(walked, sorted(walked, reverse=True), "order of projects")
    equal(set(walked), {project.id for project in admin.projects.list(iterator=True)}, "projects by keyset")
    groups = [group.id for group in admin.groups.list(pagination="keyset", per_page=1, iterator=True)]
    equal(groups, [group.id for group in admin.groups.list(iterator=True)], "groups by keyset")
    by_name = {"order_by": "name", "sort": "asc", "iterator": True}
    users = [user.id for user in admin.users.list(pagination="keyset", per_page=2, **by_name)]
    equal(users, [user.id for user in admin.users.list(**by_name)], "users by keyset")
    refused(lambda: admin.projects.list(pagination="keyset", order_by="name"), 405)


@chapter
def a_project_moves_and_is_found_at_its_old_path():
    harbour = admin.groups.get(f"harbour-{RUN}")
    deep = admin.groups.create({"name": "deep", "path": "deep", "parent_id": harbour.id, "visibility": "public"})
    project = new_project("wanderer", topics=["maps"])
    project.transfer(deep.id)
    old = f"harbour-{RUN}/wanderer"
    equal(admin.projects.get(old).path_with_namespace, f"harbour-{RUN}/deep/wanderer", "where it went")
    lazy = admin.projects.get(old, lazy=True)
    lazy.description = "lost"
    refused(lazy.save, 405, "Non GET methods are not allowed for moved projects")
    deep.path = "deeper"
    deep.save()
    equal(admin.groups.get(f"harbour-{RUN}/deep").id, deep.id, "group at its old path")
    equal(admin.projects.get(f"harbour-{RUN}/deep/wanderer").id, project.id, "project below a renamed group")
    equal([group.id for group in harbour.descendant_groups.list()], [deep.id], "groups below")
    _, stranger = new_user("pilot")
    refused(lambda: stranger.projects.get(old), 404, "404 Project Not Found")
    project.delete()
    refused(lambda: admin.projects.get(old), 404, "404 Project Not Found")
    deep.delete()


@chapter
def headers_are_read_alone():
    assert int(admin.projects.head()["X-Total"]) >= 6
    project = admin.projects.get(f"harbour-{RUN}/charts")
    equal(admin.projects.head(project.id)["Content-Type"], "application/json", "content type")


@chapter
def an_administrator_acts_for_a_user():
    user, _ = new_user("deputy")
    project = admin.projects.create({"name": "own"}, sudo=user.username)
    equal(project.namespace["path"], user.username, "whose project it is")
    equal(admin.projects.list(owned=True, sudo=user.id)[0].id, project.id, "projects of the user")
    project.delete()
    refused(lambda: admin.projects.get(project.id), 404, "404 Project Not Found")


@chapter
def members_come_and_go():
    project = new_project("crew")
    user, own = new_user("sailor")
    refused(lambda: own.projects.get(project.id), 404, "404 Project Not Found")
    reporter = {"user_id": user.id, "access_level": gitlab.const.REPORTER_ACCESS, "expires_at": None}
    member = project.members.create(reporter)
    equal((member.id, member.access_level, member.state), (user.id, 20, "active"), "member")
    refused(lambda: project.members.create(reporter), 409, "Member already exists")
    refused(lambda: own.projects.get(project.id).members.create({"user_id": 1, "access_level": 20}), 403)
    member.access_level = gitlab.const.DEVELOPER_ACCESS
    member.save()
    equal(project.members.get(user.id).access_level, 30, "access level")
    refused(lambda: own.projects.update(project.id, {"topics": ["no"]}), 403, "403 Forbidden")
    member.delete()
    refused(lambda: own.projects.get(project.id), 404)


@chapter
def members_of_a_group_inherit():
    group = admin.groups.get(f"harbour-{RUN}")
    user, own = new_user("heir")
    group.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    project = own.projects.get(f"harbour-{RUN}/crew")
    inherited = {member.id: member.access_level for member in project.members_all.list(get_all=True)}
    equal(inherited.get(user.id), 40, "inherited access")
    equal(project.members_all.get(user.id).access_level, 40, "inherited access of one")
    assert user.id not in [member.id for member in project.members.list(get_all=True)]
    assert project.members.list(query="nothing-like-it") == []


@chapter
def a_file_is_uploaded_and_downloaded():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    content = bytes(range(256)) * 100
    upload = project.upload("floor plan.png", filedata=content)
    secret = upload["url"].split("/")[2]
    equal(upload["markdown"], f"![floor_plan](/uploads/{secret}/floor_plan.png)", "markdown")
    listed = admin.http_list(f"/projects/{project.id}/uploads")[0]
    equal((listed["filename"], listed["size"]), ("floor_plan.png", len(content)), "listed")
    equal(listed["uploaded_by"]["username"], "root", "who uploaded")
    by_id = admin.http_get(f"/projects/{project.id}/uploads/{listed['id']}")
    by_secret = admin.http_get(f"/projects/{project.encoded_id}/uploads/{secret}/floor_plan.png", raw=True)
    for answer in (by_id, by_secret):
        equal(answer.content, content, "content")
        equal(answer.headers["Content-Type"], "application/octet-stream", "content type")
        assert 'filename="floor_plan.png"' in answer.headers["Content-Disposition"]
    lazy = admin.projects.get(project.path_with_namespace, lazy=True)
    equal(lazy.upload("Grüße.txt", filedata=b"Ahoi")["alt"], "Grüße.txt", "name beyond ASCII, lazy project by path")


@chapter
def uploads_are_deleted_both_ways():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    listed = admin.http_list(f"/projects/{project.id}/uploads", get_all=True)
    one = project.upload("gone.txt", filedata=b"gone")
    admin.http_delete(f"/projects/{project.id}{one['url']}")
    refused(lambda: admin.http_delete(f"/projects/{project.id}{one['url']}"), 400)
    for upload in listed:
        admin.http_delete(f"/projects/{project.id}/uploads/{upload['id']}")
        refused(lambda: admin.http_get(f"/projects/{project.id}/uploads/{upload['id']}"), 404, "404 Not found")
    equal(admin.http_list(f"/projects/{project.id}/uploads"), [], "uploads left")


@chapter
def uploads_are_refused():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    _, stranger = new_user("stranger")
    user, guest = new_user("guest")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.GUEST_ACCESS})
    path = f"/projects/{project.id}/uploads"
    refused(lambda: nobody.http_post(path, files={"file": ("a.txt", b"a")}), 401, "401 Unauthorized")
    refused(lambda: stranger.http_post(path, files={"file": ("a.txt", b"a")}), 404, "404 Project Not Found")
    assert guest.http_post(path, files={"file": ("a.txt", b"a")})["url"]
    refused(lambda: guest.http_list(path), 403, "403 Forbidden")
    refused(lambda: admin.http_post(path), 400, "file is missing")
    refused(lambda: admin.http_get(f"{path}/nonsense"), 400, "upload_id is invalid")


@chapter
def a_topic_lives_and_dies():
    name = f"lighthouse{RUN}"
    topic = admin.topics.create({"name": name, "title": "Lighthouses", "description": "All of **them**"})
    equal((topic.organization_id, topic.avatar_url, topic.total_projects_count), (1, None, 0), "a new topic")
    project = new_project("light", topics=[name])
    equal(nobody.topics.get(topic.id).total_projects_count, 1, "projects of the topic")
    equal([found.id for found in nobody.topics.list(search=name)], [topic.id], "topics found")
    equal(admin.topics.list(search=name, without_projects=True), [], "topics without projects")
    topic.description = "Some of them"
    topic.save()
    equal(admin.topics.get(topic.id).description, "Some of them", "description")
    taken = {"name": ["has already been taken"]}
    refused(lambda: admin.topics.create({"name": name.upper(), "title": "Again"}), 400, taken)
    refused(lambda: admin.topics.create({"name": "untitled"}), 400, "title is missing")
    topic.delete()
    refused(lambda: admin.topics.get(topic.id), 404, "404 Not found")
    equal(admin.projects.get(project.id).topics, [], "topics of the project")


@chapter
def an_avatar_comes_and_goes():
    topic = admin.topics.create({"name": f"buoy{RUN}", "title": "Buoys", "avatar": PNG})
    url = f"{URL}/uploads/-/system/projects/topic/avatar/{topic.id}/avatar.png"
    equal(topic.avatar_url, url, "address of the avatar")
    topic.avatar = PNG
    topic.description = "with another picture"
    topic.save()
    equal((topic.avatar_url, topic.description), (url, "with another picture"), "after the multipart PUT")
    with urllib.request.urlopen(url, timeout=30) as answer:
        equal((answer.read(), answer.headers["Content-Type"]), (PNG, "image/png"), "what is served")
    equal(admin.http_put(f"/topics/{topic.id}", post_data={"avatar": ""})["avatar_url"], None, "avatar removed")


@chapter
def topics_are_merged():
    source, target = f"sloop{RUN}", f"yacht{RUN}"
    project = new_project("merged", topics=[source])
    source_id = admin.topics.list(search=source)[0].id
    target_id = admin.topics.create({"name": target, "title": "Yachts"}).id
    merged = admin.topics.merge(source_id, target_id)
    equal((merged["id"], merged["total_projects_count"]), (target_id, 1), "the merged topic")
    equal(admin.projects.get(project.id).topics, [target], "topics of the project")
    refused(lambda: admin.topics.merge(source_id, target_id), 404)
    refused(
        lambda: admin.topics.merge(target_id, target_id),
        400,
        "The source topic and the target topic are identical.",
    )


@chapter
def topics_are_refused():
    _, user = new_user("diver")
    topic = admin.topics.list(get_all=False)[0]
    refused(lambda: user.topics.delete(topic.id), 403, "403 Forbidden")
    refused(lambda: nobody.topics.delete(topic.id), 401, "401 Unauthorized")
    refused(lambda: as_token("glpat-never-issued-000").topics.list(), 401)


@chapter
def a_finding_becomes_a_vulnerability_once():
    project = new_project("scanned", visibility="public")
    user, keeper = new_user("keeper")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    base = f"/projects/{project.id}"
    report = (REPORT.name, REPORT.read_bytes(), "application/json")
    keeper.http_post(f"{base}/security_reports", post_data={"report_type": "sast"}, files={"file": report})
    findings = keeper.http_list(f"{base}/vulnerability_findings", per_page=100, get_all=True)
    equal([finding["severity"] for finding in findings], ["critical", "medium", "info"], "severities")
    equal(keeper.http_list(f"{base}/vulnerabilities"), [], "vulnerabilities before")

    def promote(finding_id):
        return keeper.http_post(f"{base}/vulnerabilities", post_data={"finding_id": finding_id})

    by_query = keeper.http_post(f"{base}/vulnerabilities", query_data={"finding_id": findings[0]["id"]})
    equal((by_query["state"], by_query["author_id"]), ("detected", user.id), "promoted by query")
    encoded = f"/projects/{project.encoded_id}"
    by_body = keeper.http_post(f"{encoded}/vulnerabilities", post_data={"finding_id": str(findings[1]["id"])})
    equal(by_body["finding"]["id"], findings[1]["id"], "promoted by body, as digits")
    listed = keeper.http_list(f"{base}/vulnerabilities", per_page=1, get_all=True)
    equal([vulnerability["id"] for vulnerability in listed], [by_query["id"], by_body["id"]], "page by page")
    attached = {"base": ["finding is not found or is already attached to a vulnerability"]}
    refused(lambda: promote(findings[0]["id"]), 400, attached)
    refused(lambda: promote("x"), 400, "finding_id is invalid")
    refused(lambda: keeper.http_post(f"{base}/vulnerabilities"), 400, "finding_id is missing")


@chapter
def vulnerabilities_are_refused():
    project = admin.projects.get(f"harbour-{RUN}/scanned")
    hidden = admin.projects.get(f"harbour-{RUN}/crew")
    _, stranger = new_user("outsider")
    refused(lambda: nobody.http_list(f"/projects/{project.id}/vulnerabilities"), 401, "401 Unauthorized")
    refused(lambda: stranger.http_list(f"/projects/{project.id}/vulnerabilities"), 403, "403 Forbidden")
    refused(lambda: stranger.http_list(f"/projects/{hidden.id}/vulnerabilities"), 404, "404 Project Not Found")


@chapter
def a_token_that_may_only_read_may_not_write():
    user, reader = new_user("reader", ["read_api"])
    project = admin.projects.get(f"harbour-{RUN}/crew")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.MAINTAINER_ACCESS})
    assert isinstance(reader.http_list(f"/projects/{project.id}/uploads"), list)
    refused(lambda: reader.projects.get(project.id).upload("a.txt", filedata=b"a"), 403, "insufficient_scope")


@chapter
def everything_is_removed():
    group = admin.groups.get(f"harbour-{RUN}")
    project = admin.projects.get(f"harbour-{RUN}/crew")
    admin.groups.delete(group.id)
    refused(lambda: admin.groups.get(group.id), 404, "404 Group Not Found")
    refused(lambda: admin.projects.get(project.id), 404, "404 Project Not Found")


failed = 0
for tell in chapters:
    name = tell.__name__.replace("_", " ")
    try:
        tell()
        print(f"PASS {name}")
    except Exception as error:  # every chapter is told, whatever became of the one before
        failed += 1
        frame = traceback.extract_tb(error.__traceback__)[1]
        print(f"FAIL {name}\n     {type(error).__name__}: {error}\n     story.py:{frame.lineno}: {frame.line}")
print(f"python-gitlab {gitlab.__version__}: {len(chapters) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
