# frozen_string_literal: true

# Groups, projects and their members.

scenario 'a group and a project in it' do
  path = "harbour-#{RUN}"
  group = ADMIN.create_group(path, path, visibility: 'public')
  equal(ADMIN.group(path).id, group.id, 'group by path')
  charts = new_project('charts', visibility: 'public', description: 'Harbour charts', topics: %w[tides maps])
  equal(charts.path_with_namespace, "#{path}/charts", 'path')
  equal(charts.topics, %w[maps tides], 'topics')
  equal(charts.namespace.id, group.id, 'namespace')
  equal(project('charts').id, charts.id, 'project by path')
  refused(Gitlab::Error::BadRequest, 'has already been taken') { new_project('charts') }
end

scenario 'a project moves and is found at its old path' do
  deep = ADMIN.create_group('deep', 'deep', parent_id: ADMIN.group("harbour-#{RUN}").id, visibility: 'public')
  moving = new_project('wanderer')
  ADMIN.put("/projects/#{moving.id}/transfer", body: { namespace: deep.id })
  old = "harbour-#{RUN}/wanderer"
  equal(ADMIN.project(old).path_with_namespace, "harbour-#{RUN}/deep/wanderer", 'where it went')
  refused(Gitlab::Error::MethodNotAllowed, 'Non GET methods are not allowed') { ADMIN.edit_project(old, name: 'x') }
  ADMIN.delete_project(moving.id)
  refused(Gitlab::Error::NotFound, '404 Project Not Found') { ADMIN.project(old) }
  ADMIN.delete_group(deep.id)
end

scenario 'everything is walked by keyset' do
  ids = ADMIN.projects(pagination: 'keyset', order_by: 'id', per_page: 1).auto_paginate.map(&:id)
  equal(ids, ADMIN.projects.auto_paginate.map(&:id), 'projects')
  groups = ADMIN.groups(pagination: 'keyset', per_page: 1).auto_paginate.map(&:id)
  equal(groups, ADMIN.groups.auto_paginate.map(&:id), 'groups')
end

scenario 'topics of a project, as a list and as one string' do
  id = project('charts').id
  equal(ADMIN.edit_project(id, topics: %w[winds maps]).topics, %w[maps winds], 'topics')
  equal(ADMIN.edit_project(id, topics: 'tides, winds').topics, %w[tides winds], 'topics')
  equal(ADMIN.edit_project(id, description: 'Sea charts').description, 'Sea charts', 'description')
end

scenario 'projects are listed by topic and page' do
  topic = "fleet#{RUN}"
  5.times { |number| new_project("boat-#{number}-#{RUN}", topics: [topic, "n#{number}"]) }
  paths = [4, 3, 2, 1, 0].map { |number| "boat-#{number}-#{RUN}" }
  first = ADMIN.projects(topic: topic, per_page: 2)
  equal(first.map(&:path), paths[0, 2], 'the first page')
  equal(first.next_page.map(&:path), paths[2, 2], 'the second page')
  equal(first.last_page.map(&:path), paths[4, 1], 'the last page')
  equal(first.auto_paginate.map(&:path), paths, 'all pages')
  equal(ADMIN.projects(topic: "#{topic},n3").map(&:path), paths[1, 1], 'both topics')
  equal(ADMIN.project_search(paths[3]).map(&:path), paths[3, 1], 'search')
end

scenario 'members come and go' do
  crew = new_project('crew')
  user, own, = new_user('sailor')
  refused(Gitlab::Error::NotFound, '404 Project Not Found') { own.project(crew.id) }
  equal(ADMIN.add_team_member(crew.id, user.id, 20).access_level, 20, 'access level')
  refused(Gitlab::Error::Conflict, 'Member already exists') { ADMIN.add_team_member(crew.id, user.id, 20) }
  refused(Gitlab::Error::Forbidden, '403 Forbidden') { own.add_team_member(crew.id, 1, 20) }
  equal(ADMIN.edit_team_member(crew.id, user.id, 30).access_level, 30, 'access level')
  equal(ADMIN.team_member(crew.id, user.id).access_level, 30, 'access level')
  refused(Gitlab::Error::Forbidden) { own.edit_project(crew.id, topics: ['no']) }
  ADMIN.remove_team_member(crew.id, user.id)
  refused(Gitlab::Error::NotFound) { own.project(crew.id) }
end

scenario 'members of a group inherit' do
  user, own, = new_user('heir')
  ADMIN.add_group_member(ADMIN.group("harbour-#{RUN}").id, user.id, 40)
  levels = own.all_members(project('crew').id).auto_paginate.to_h { |member| [member.id, member.access_level] }
  equal(levels[user.id], 40, 'inherited access')
end

scenario 'an administrator acts for a user' do
  user, = new_user('deputy')
  deputy = Gitlab.client(endpoint: "#{URL}/api/v4", private_token: TOKEN, sudo: user.username)
  equal(deputy.user.id, user.id, 'who is acting')
ensure
  Gitlab::Client.default_params.delete(:sudo) # it would stay for every client
end

scenario 'projects are renamed, archived and starred' do
  user, own, = new_user('captain')
  made = own.create_project('Our sloop')
  own.edit_project(made.id, path: 'brig')
  equal(own.project("#{user.username}/our-sloop").path, 'brig', 'the project at its old path')
  equal(own.star_project(made.id).star_count, 1, 'stars')
  equal(own.projects(starred: true).map(&:id), [made.id], 'what he starred')
  equal(own.archive_project(made.id).archived, true, 'archived')
  equal(own.projects(archived: true, owned: true).map(&:id), [made.id], 'his archive')
  equal(own.unarchive_project(made.id).archived, false, 'archived')
  equal(own.user_projects(user.id).map(&:id), [made.id], 'his projects')
end

scenario 'groups have groups and namespaces' do
  harbour = ADMIN.group("harbour-#{RUN}")
  dock = ADMIN.create_group('Dock', 'dock', parent_id: harbour.id)
  user, own, = new_user('warden')
  ADMIN.add_group_member(harbour.id, user.id, 40)
  boat = own.create_project('dinghy', namespace_id: dock.id, topics: ['docked'])
  equal(ADMIN.group_subgroups(harbour.id).map(&:id), [dock.id], 'subgroups')
  below = ADMIN.group_projects(harbour.id, include_subgroups: true, topic: 'docked').map(&:id)
  equal(below, [boat.id], 'projects below, by topic')
  equal(own.namespaces(search: 'dock').map(&:id), [dock.id], 'namespaces')
  equal(own.get("/namespaces/#{harbour.path}/exists").suggests, ["#{harbour.path}1"], 'a free path')
  _, stranger, = new_user('landlubber')
  refused(Gitlab::Error::NotFound, '404 Group Not Found') { stranger.group(dock.id) }
  ADMIN.delete_group(dock.id)
end
