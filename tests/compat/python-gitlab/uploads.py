"""Files in projects."""

import gitlab

from support import RUN, admin, scenario, equal, new_user, anonymous, refused


@scenario
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


@scenario
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


@scenario
def uploads_are_refused():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    _, stranger = new_user("stranger")
    user, guest = new_user("guest")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.GUEST_ACCESS})
    path = f"/projects/{project.id}/uploads"
    refused(lambda: anonymous.http_post(path, files={"file": ("a.txt", b"a")}), 401, "401 Unauthorized")
    refused(lambda: stranger.http_post(path, files={"file": ("a.txt", b"a")}), 404, "404 Project Not Found")
    assert guest.http_post(path, files={"file": ("a.txt", b"a")})["url"]
    refused(lambda: guest.http_list(path), 403, "403 Forbidden")
    refused(lambda: admin.http_post(path), 400, "file is missing")
    refused(lambda: admin.http_get(f"{path}/nonsense"), 400, "upload_id is invalid")


@scenario
def uploads_of_a_deleted_user_remain():
    project = admin.projects.get(f"harbour-{RUN}/crew")
    user, own = new_user("leaver")
    project.members.create({"user_id": user.id, "access_level": gitlab.const.DEVELOPER_ACCESS})
    own.projects.get(project.id).upload("testament.txt", filedata=b"kept")
    newest = f"/projects/{project.id}/uploads"
    equal(admin.http_list(newest)[0]["uploaded_by"]["id"], user.id, "who uploaded")
    user.delete()
    left = admin.http_list(newest)[0]
    equal((left["filename"], left["uploaded_by"]["username"]), ("testament.txt", "ghost"), "the upload after the deletion")
    equal(admin.http_get(f"{newest}/{left['id']}").content, b"kept", "its content")
