# frozen_string_literal: true

# Topics, their avatars, aliases and merges.

scenario 'a topic lives and dies' do
  name = "lighthouse#{RUN}"
  topic = ADMIN.post('/topics', body: { name: name, title: 'Lighthouses', description: 'All of **them**' })
  equal([topic.organization_id, topic.avatar_url, topic.total_projects_count], [1, nil, 0], 'a new topic')
  lit = new_project('light', topics: [name])
  equal(ADMIN.get("/topics/#{topic.id}", unauthenticated: true).total_projects_count, 1, 'projects of the topic')
  equal(ADMIN.get('/topics', query: { search: name }).map(&:id), [topic.id], 'topics found')
  equal(ADMIN.get('/topics', query: { search: name, without_projects: true }).length, 0, 'topics without projects')
  equal(ADMIN.put("/topics/#{topic.id}", body: { title: 'Lights' }).title, 'Lights', 'title')
  refused(Gitlab::Error::BadRequest, "'name' has already been taken") do
    ADMIN.post('/topics', body: { name: name.upcase, title: 'Again' })
  end
  refused(Gitlab::Error::BadRequest, 'title is missing') { ADMIN.post('/topics', body: { name: 'untitled' }) }
  ADMIN.delete("/topics/#{topic.id}")
  refused(Gitlab::Error::NotFound, '404 Not found') { ADMIN.get("/topics/#{topic.id}") }
  equal(ADMIN.project(lit.id).topics, [], 'topics of the project')
end

scenario 'an avatar comes and goes' do
  topic = ADMIN.post('/topics', body: { name: "buoy#{RUN}", title: 'Buoys' })
  with = file('buoy.png', PNG) { |path| ADMIN.put("/topics/#{topic.id}", body: { avatar: File.open(path, 'rb') }) }
  equal(with.avatar_url, "#{URL}/uploads/-/system/projects/topic/avatar/#{topic.id}/buoy.png", 'address of the avatar')
  served = Net::HTTP.get_response(URI(with.avatar_url))
  equal([served.code, served.body.b, served['Content-Type']], ['200', PNG.b, 'image/png'], 'what is served')
  equal(ADMIN.put("/topics/#{topic.id}", body: { avatar: '' }).avatar_url, nil, 'avatar removed')
end

scenario 'topics are merged' do
  source, target = "sloop#{RUN}", "yacht#{RUN}"
  merged = new_project('merged', topics: [source])
  body = { source_topic_id: ADMIN.get('/topics', query: { search: source }).first.id,
           target_topic_id: ADMIN.post('/topics', body: { name: target, title: 'Yachts' }).id }
  answer = ADMIN.post('/topics/merge', body: body)
  equal([answer.id, answer.total_projects_count], [body[:target_topic_id], 1], 'the merged topic')
  equal(ADMIN.project(merged.id).topics, [target], 'topics of the project')
  refused(Gitlab::Error::NotFound) { ADMIN.post('/topics/merge', body: body) }
  body[:source_topic_id] = body[:target_topic_id]
  refused(Gitlab::Error::BadRequest, 'are identical') { ADMIN.post('/topics/merge', body: body) }
end

scenario 'topics are refused' do
  _, own, = new_user('diver')
  id = ADMIN.get('/topics').first.id
  refused(Gitlab::Error::Forbidden) { own.delete("/topics/#{id}") }
  refused(Gitlab::Error::Unauthorized) { ADMIN.delete("/topics/#{id}", unauthenticated: true) }
end

scenario 'a topic answers to other names' do
  name, other = "knot#{RUN}", "bend#{RUN}"
  topic = ADMIN.post('/topics', body: { name: name, title: 'Knots' })
  aliases = "/topics/#{topic.id}/aliases"
  ADMIN.post(aliases, body: { name: other })
  ropes = new_project('ropes', topics: [other])
  equal(ropes.topics, [name], 'topics after assigning by alias')
  equal(ADMIN.get('/topics', query: { search: other }).map(&:id), [topic.id], 'search by alias')
  equal(ADMIN.projects(topic: other).map(&:id), [ropes.id], 'projects by alias')
  refused(Gitlab::Error::BadRequest, 'has already been taken') do
    ADMIN.post('/topics', body: { name: other.upcase, title: 'Again' })
  end
  ADMIN.delete(aliases, query: { name: other })
  equal(ADMIN.get(aliases).length, 0, 'aliases left')
end

scenario 'a merge is previewed, undone, and leaves the old name' do
  source, target = "ketch#{RUN}", "yawl#{RUN}"
  early = new_project('twomast', topics: [source])
  body = { source_topic_id: ADMIN.get('/topics', query: { search: source }).first.id,
           target_topic_id: ADMIN.post('/topics', body: { name: target, title: 'Yawls' }).id }
  preview = ADMIN.post('/topics/merge', body: body.merge(dry_run: true)).preview
  equal([preview.moved_projects_count, preview.aliases], [1, [source]], 'what would move')
  ADMIN.post('/topics/merge', body: body)
  late = new_project('threemast', topics: [source])
  equal(late.topics, [target], 'what an old script assigns')
  equal(ADMIN.edit_project(late.id, topics: "#{source.upcase},sails").topics, ['sails', target], 'what it saves')
  equal(ADMIN.projects(topic: source).map(&:id), [late.id, early.id], 'what it finds')
  merge = ADMIN.get('/topics/merges').first
  equal(merge.source_topic.id, body[:source_topic_id], 'the journal')
  equal(ADMIN.post("/topics/merges/#{merge.id}/undo").name, source, 'restored')
  equal(ADMIN.project(early.id).topics, [source], 'topics after the undo')
  refused(Gitlab::Error::Conflict, 'has been undone already') { ADMIN.post("/topics/merges/#{merge.id}/undo") }
end
