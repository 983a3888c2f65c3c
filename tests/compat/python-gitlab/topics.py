"""Topics, their avatars, aliases and merges."""

import urllib.request

from support import PNG, RUN, URL, admin, as_token, scenario, equal, new_project, new_user, anonymous, refused


@scenario
def a_topic_lives_and_dies():
    name = f"lighthouse{RUN}"
    topic = admin.topics.create({"name": name, "title": "Lighthouses", "description": "All of **them**"})
    equal((topic.organization_id, topic.avatar_url, topic.total_projects_count), (1, None, 0), "a new topic")
    project = new_project("light", topics=[name])
    equal(anonymous.topics.get(topic.id).total_projects_count, 1, "projects of the topic")
    equal([found.id for found in anonymous.topics.list(search=name)], [topic.id], "topics found")
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


@scenario
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


@scenario
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


@scenario
def topics_are_refused():
    _, user = new_user("diver")
    topic = admin.topics.list(get_all=False)[0]
    refused(lambda: user.topics.delete(topic.id), 403, "403 Forbidden")
    refused(lambda: anonymous.topics.delete(topic.id), 401, "401 Unauthorized")
    refused(lambda: as_token("glpat-never-issued-000").topics.list(), 401)


@scenario
def a_topic_answers_to_other_names():
    name, other = f"knot{RUN}", f"bend{RUN}"
    topic = admin.topics.create({"name": name, "title": "Knots"})
    aliases = f"/topics/{topic.id}/aliases"
    equal(admin.http_post(aliases, post_data={"name": other})["name"], other, "a new alias")
    taken = {"name": ["has already been taken"]}
    refused(lambda: admin.topics.create({"name": other.upper(), "title": "Again"}), 400, taken)
    project = new_project("ropes", topics=[other])
    equal(project.topics, [name], "topics after assigning by alias")
    equal([found.id for found in anonymous.topics.list(search=other)], [topic.id], "search by alias")
    equal([found.id for found in admin.projects.list(topic=other)], [project.id], "projects by alias")
    equal([alias["name"] for alias in anonymous.http_list(aliases)], [other], "aliases")
    _, user = new_user("bosun")
    refused(lambda: user.http_post(aliases, post_data={"name": "mine"}), 403, "403 Forbidden")
    admin.http_delete(aliases, query_data={"name": other})
    equal(admin.http_list(aliases), [], "aliases left")
    equal(admin.projects.list(topic=other), [], "projects by what was an alias")


@scenario
def a_merge_is_previewed_undone_and_leaves_the_old_name():
    source, target = f"ketch{RUN}", f"yawl{RUN}"
    project = new_project("twomast", topics=[source])
    source_id = admin.topics.list(search=source)[0].id
    target_id = admin.topics.create({"name": target, "title": "Yawls"}).id
    pair = {"source_topic_id": source_id, "target_topic_id": target_id}
    preview = admin.http_post("/topics/merge", post_data={**pair, "dry_run": True})["preview"]
    equal((preview["moved_projects_count"], preview["aliases"]), (1, [source]), "what would move")
    equal(admin.projects.get(project.id).topics, [source], "topics after the preview")

    admin.topics.merge(source_id, target_id)
    late = new_project("threemast", topics=[source])
    equal(late.topics, [target], "what an old script assigns")
    late.topics = [source.upper(), "sails"]
    late.save()
    equal(admin.projects.get(late.id).topics, ["sails", target], "what it saves")
    by_old_name = [found.id for found in admin.projects.list(topic=source, order_by="id", sort="asc")]
    equal(by_old_name, [project.id, late.id], "what it finds")

    merge = admin.http_list("/topics/merges", per_page=1, get_all=False)[0]
    equal((merge["source_topic"]["id"], merge["merged_by"]["username"]), (source_id, "root"), "the journal")
    restored = admin.http_post(f"/topics/merges/{merge['id']}/undo")
    equal((restored["id"], restored["name"], restored["total_projects_count"]), (source_id, source, 1), "restored")
    equal(admin.projects.get(project.id).topics, [source], "topics after the undo")
    equal(admin.projects.get(late.id).topics, ["sails", target], "topics of what came later")
    refused(lambda: admin.http_post(f"/topics/merges/{merge['id']}/undo"), 409)


@scenario
def the_vocabulary_is_a_file():
    names = [f"anchor{RUN}", f"anchors{RUN}"]
    for name in names:
        admin.topics.create({"name": name, "title": name})
    exported = admin.http_get("/topics/export", query_data={"format": "json"}, raw=True).content
    assert names[0] in exported.decode(), "the export has the topics"
    file = ("topics.json", exported, "application/json")
    unchanged = admin.http_post("/topics/import", post_data={"dry_run": "true"}, files={"file": file})
    again = admin.http_get("/topics/export", query_data={"format": "json"}, raw=True).content
    equal(again, exported, "the export after an import of itself")
    equal(unchanged["changes"], [], "what an import of what is there would change")
    pairs = admin.http_list("/topics/duplicates", get_all=True)
    named = [{topic["name"] for topic in pair["topics"]} for pair in pairs]
    assert set(names) in named, f"the pair is found in {named}"
    _, user = new_user("deckhand")
    refused(lambda: user.http_list("/topics/duplicates"), 403, "403 Forbidden")
