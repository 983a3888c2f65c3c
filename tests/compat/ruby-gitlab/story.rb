# frozen_string_literal: true

# What people do with uploads, topics and vulnerabilities, done with an unchanged ruby-gitlab.
# It has no methods for topics, tokens and vulnerabilities: those go through its get, post, put and delete.
# ALCOVE_URL and ALCOVE_TOKEN (of an administrator) say where.

require 'cgi'
require 'date'
require 'gitlab'
require 'json'
require 'stringio'
require 'tmpdir'

URL = ENV.fetch('ALCOVE_URL').chomp('/')
TOKEN = ENV.fetch('ALCOVE_TOKEN')
RUN = (Time.now.to_f * 1000).to_i.to_s(36)
REPORT = File.expand_path('../sast-report.json', __dir__)
PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
      .unpack1('m')

def client(token)
  Gitlab.client(endpoint: "#{URL}/api/v4", private_token: token, httparty: { timeout: 30 })
end

ADMIN = client(TOKEN)
CHAPTERS = []

def chapter(name, &block)
  CHAPTERS << [name, block]
end

def equal(actual, expected, what)
  raise "#{what}: expected #{expected.inspect}, got #{actual.inspect}" unless actual == expected
end

# Asks, and expects ruby-gitlab's error of this class, with this text in its message.
def refused(error_class, text = '')
  answer = yield
  raise "expected #{error_class}, got #{answer.inspect}"
rescue Gitlab::Error::ResponseError => e
  equal(e.class, error_class, 'class of the refusal')
  raise "expected #{text.inspect} in #{e.message.inspect}" unless e.message.include?(text)
end

def new_user(name, scopes: ['api'])
  user = ADMIN.create_user("#{name}-#{RUN}@example.test", 'correct horse battery', "#{name}-#{RUN}",
                           name: name.capitalize, skip_confirmation: true)
  body = { name: 'story', scopes: scopes, expires_at: (Date.today + 7).iso8601 }
  token = ADMIN.post("/users/#{user.id}/personal_access_tokens", body: body)
  [user, client(token.token), token]
end

def new_project(path, options = {})
  ADMIN.create_project(path, { path: path, namespace_id: ADMIN.group("harbour-#{RUN}").id }.merge(options))
end

def project(path)
  ADMIN.project("harbour-#{RUN}/#{path}")
end

def file(name, content)
  Dir.mktmpdir do |folder|
    path = File.join(folder, name)
    File.binwrite(path, content)
    yield path
  end
end

# As the client itself downloads files. What is only ASCII it takes for JSON.
def download(client, path)
  parser = proc do |body, _|
    is_binary = body.encoding == Encoding::ASCII_8BIT
    is_binary ? Gitlab::FileResponse.new(StringIO.new(body, 'rb+')) : Gitlab::Request.parse(body)
  end
  client.get(path, format: nil, headers: { Accept: 'application/octet-stream' }, parser: parser)
end

chapter 'the administrator signs in' do
  equal(ADMIN.user.username, 'root', 'name')
  raise 'no version' unless ADMIN.version.version.match?(/\A\d+\.\d+/)

  short = client('x' * 20) # goes out as PRIVATE-TOKEN, longer ones as Bearer
  refused(Gitlab::Error::Unauthorized, '401 Unauthorized') { short.user }
end

chapter 'a user is created, found and removed' do
  user, own, = new_user('nadia')
  equal(ADMIN.users(username: user.username).map(&:id), [user.id], 'users of that name')
  equal(ADMIN.user_search(user.username).map(&:id), [user.id], 'users found')
  equal(own.user.id, user.id, 'who the token is')
  refused(Gitlab::Error::Conflict) { new_user('nadia') }
  ADMIN.delete_user(user.id)
  refused(Gitlab::Error::NotFound) { ADMIN.user(user.id) }
end

chapter 'a user is blocked and let in again' do
  user, own, = new_user('visitor')
  ADMIN.block_user(user.id)
  refused(Gitlab::Error::Forbidden) { own.user }
  equal(ADMIN.user(user.id).state, 'blocked', 'state')
  ADMIN.unblock_user(user.id)
  equal(own.user.id, user.id, 'who the token is')
  ADMIN.edit_user(user.id, name: 'Renamed')
  equal(own.user.name, 'Renamed', 'name')
end

chapter 'a token is replaced' do
  user, own, = new_user('holder')
  fresh = own.post('/personal_access_tokens/self/rotate')
  refused(Gitlab::Error::Unauthorized) { own.user }
  equal(client(fresh.token).user.id, user.id, 'who the new token is')
end

chapter 'a revoked token is dead at once' do
  _, own, token = new_user('pat')
  ADMIN.delete("/personal_access_tokens/#{token.id}")
  refused(Gitlab::Error::Unauthorized) { own.user }
  refused(Gitlab::Error::Unauthorized) { own.get('/topics') }
end

chapter 'a group and a project in it' do
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

chapter 'a project moves and is found at its old path' do
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

chapter 'everything is walked by keyset' do
  ids = ADMIN.projects(pagination: 'keyset', order_by: 'id', per_page: 1).auto_paginate.map(&:id)
  equal(ids, ADMIN.projects.auto_paginate.map(&:id), 'projects')
  groups = ADMIN.groups(pagination: 'keyset', per_page: 1).auto_paginate.map(&:id)
  equal(groups, ADMIN.groups.auto_paginate.map(&:id), 'groups')
end

chapter 'topics of a project, as a list and as one string' do
  id = project('charts').id
  equal(ADMIN.edit_project(id, topics: %w[winds maps]).topics, %w[maps winds], 'topics')
  equal(ADMIN.edit_project(id, topics: 'tides, winds').topics, %w[tides winds], 'topics')
  equal(ADMIN.edit_project(id, description: 'Sea charts').description, 'Sea charts', 'description')
end

chapter 'projects are listed by topic and page' do
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

chapter 'members come and go' do
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

chapter 'members of a group inherit' do
  user, own, = new_user('heir')
  ADMIN.add_group_member(ADMIN.group("harbour-#{RUN}").id, user.id, 40)
  levels = own.all_members(project('crew').id).auto_paginate.to_h { |member| [member.id, member.access_level] }
  equal(levels[user.id], 40, 'inherited access')
end

chapter 'an administrator acts for a user' do
  user, = new_user('deputy')
  deputy = Gitlab.client(endpoint: "#{URL}/api/v4", private_token: TOKEN, sudo: user.username)
  equal(deputy.user.id, user.id, 'who is acting')
ensure
  Gitlab::Client.default_params.delete(:sudo) # it would stay for every client
end

chapter 'a file is uploaded and downloaded' do
  id = project('crew').id
  content = (0..255).to_a.pack('C*') * 100
  upload = file('floor plan.png', content) { |path| ADMIN.upload_file(id, path) }
  secret = upload.url.split('/')[2]
  equal(upload.markdown, "![floor_plan](/uploads/#{secret}/floor_plan.png)", 'markdown')
  listed = ADMIN.get("/projects/#{id}/uploads").first
  equal([listed.id, listed.filename, listed.size], [upload.id, 'floor_plan.png', content.bytesize], 'listed')
  ["/projects/#{id}/uploads/#{upload.id}", "/projects/#{id}#{upload.url}"].each do |path|
    answer = download(ADMIN, path)
    equal(answer.read.b, content, 'content')
    raise "file name is #{answer.filename}" unless answer.filename.start_with?('floor_plan.png')
  end
  umlauts = file('Grüße.txt', 'Ahoi, Grüße') { |path| ADMIN.upload_file("harbour-#{RUN}/crew", path) }
  equal(umlauts.alt, 'Grüße.txt', 'name beyond ASCII, project by path')
  found = download(ADMIN, "/projects/#{id}#{umlauts.url.sub('Grüße.txt', CGI.escape('Grüße.txt'))}")
  equal(found.read.b, 'Ahoi, Grüße'.b, 'its content')
end

chapter 'uploads are deleted both ways' do
  id = project('crew').id
  one = file('gone.txt', 'gone') { |path| ADMIN.upload_file(id, path) }
  ADMIN.delete("/projects/#{id}#{one.url}")
  missing = 'The resource that you are attempting to access'
  refused(Gitlab::Error::BadRequest, missing) { ADMIN.delete("/projects/#{id}#{one.url}") }
  ADMIN.get("/projects/#{id}/uploads").auto_paginate.each do |upload|
    ADMIN.delete("/projects/#{id}/uploads/#{upload.id}")
    refused(Gitlab::Error::NotFound, '404 Not found') { ADMIN.delete("/projects/#{id}/uploads/#{upload.id}") }
  end
  equal(ADMIN.get("/projects/#{id}/uploads").length, 0, 'uploads left')
end

chapter 'uploads are refused' do
  id = project('crew').id
  user, guest, = new_user('guest')
  _, stranger, = new_user('stranger')
  ADMIN.add_team_member(id, user.id, 10)
  file('a.txt', 'a') do |path|
    refused(Gitlab::Error::NotFound, '404 Project Not Found') { stranger.upload_file(id, path) }
    raise 'a guest may upload' unless guest.upload_file(id, path).url
  end
  refused(Gitlab::Error::Forbidden) { guest.get("/projects/#{id}/uploads") }
  refused(Gitlab::Error::BadRequest, 'file is missing') { ADMIN.post("/projects/#{id}/uploads", body: {}) }
  refused(Gitlab::Error::Unauthorized) { ADMIN.post("/projects/#{id}/uploads", body: {}, unauthenticated: true) }
end

chapter 'a topic lives and dies' do
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

chapter 'an avatar comes and goes' do
  topic = ADMIN.post('/topics', body: { name: "buoy#{RUN}", title: 'Buoys' })
  with = file('buoy.png', PNG) { |path| ADMIN.put("/topics/#{topic.id}", body: { avatar: File.open(path, 'rb') }) }
  equal(with.avatar_url, "#{URL}/uploads/-/system/projects/topic/avatar/#{topic.id}/buoy.png", 'address of the avatar')
  served = Net::HTTP.get_response(URI(with.avatar_url))
  equal([served.code, served.body.b, served['Content-Type']], ['200', PNG.b, 'image/png'], 'what is served')
  equal(ADMIN.put("/topics/#{topic.id}", body: { avatar: '' }).avatar_url, nil, 'avatar removed')
end

chapter 'topics are merged' do
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

chapter 'topics are refused' do
  _, own, = new_user('diver')
  id = ADMIN.get('/topics').first.id
  refused(Gitlab::Error::Forbidden) { own.delete("/topics/#{id}") }
  refused(Gitlab::Error::Unauthorized) { ADMIN.delete("/topics/#{id}", unauthenticated: true) }
end

chapter 'a finding becomes a vulnerability once' do
  scanned = new_project('scanned', visibility: 'public')
  user, keeper, = new_user('keeper')
  ADMIN.add_team_member(scanned.id, user.id, 40)
  base = "/projects/#{scanned.id}"
  keeper.post("#{base}/security_reports", body: { file: File.open(REPORT), report_type: 'sast' })
  findings = keeper.get("#{base}/vulnerability_findings", query: { per_page: 100 })
  equal(findings.map(&:severity), %w[critical medium info], 'severities')

  by_query = keeper.post("#{base}/vulnerabilities", query: { finding_id: findings[0].id })
  equal([by_query.state, by_query.author_id], ['detected', user.id], 'promoted by query')
  by_form = keeper.post("#{base}/vulnerabilities", body: { finding_id: findings[1].id })
  equal(by_form.finding.id, findings[1].id, 'promoted by form')
  by_json = keeper.post("#{base}/vulnerabilities", body: { finding_id: findings[2].id }.to_json,
                                                   headers: { 'Content-Type' => 'application/json' })
  ids = keeper.get("#{base}/vulnerabilities", query: { per_page: 2 }).auto_paginate.map(&:id)
  equal(ids, [by_query.id, by_form.id, by_json.id], 'vulnerabilities, page by page')
  refused(Gitlab::Error::BadRequest, 'finding is not found or is already attached to a vulnerability') do
    keeper.post("#{base}/vulnerabilities", query: { finding_id: findings[0].id })
  end
  refused(Gitlab::Error::BadRequest, 'finding_id is missing') { keeper.post("#{base}/vulnerabilities") }
  refused(Gitlab::Error::BadRequest, 'finding_id is invalid') do
    keeper.post("#{base}/vulnerabilities", body: { finding_id: 'x' })
  end
end

chapter 'vulnerabilities are refused' do
  _, stranger, = new_user('outsider')
  base = "/projects/#{project('scanned').id}/vulnerabilities"
  refused(Gitlab::Error::Unauthorized) { ADMIN.get(base, unauthenticated: true) }
  refused(Gitlab::Error::Forbidden) { stranger.get(base) }
  refused(Gitlab::Error::NotFound) { stranger.get("/projects/#{project('crew').id}/vulnerabilities") }
end

chapter 'a token that may only read may not write' do
  user, reader, = new_user('reader', scopes: ['read_api'])
  id = project('crew').id
  ADMIN.add_team_member(id, user.id, 40)
  raise 'a reader reads' unless reader.get("/projects/#{id}/uploads").length
  file('a.txt', 'a') { |path| refused(Gitlab::Error::Forbidden, 'higher privileges') { reader.upload_file(id, path) } }
end

chapter 'everything is removed' do
  crew = project('crew')
  ADMIN.delete_project(project('charts').id)
  ADMIN.delete_group(ADMIN.group("harbour-#{RUN}").id)
  refused(Gitlab::Error::NotFound, '404 Group Not Found') { ADMIN.group("harbour-#{RUN}") }
  refused(Gitlab::Error::NotFound, '404 Project Not Found') { ADMIN.project(crew.id) }
end

failed = 0
CHAPTERS.each do |name, tell|
  tell.call
  puts "PASS #{name}"
rescue StandardError => e
  failed += 1
  line = e.backtrace.find { |entry| entry.include?('story.rb') && !entry.match?(/in `(equal|refused)'/) }
  puts "FAIL #{name}\n     #{e.class}: #{e.message}\n     #{line}"
end
puts "ruby-gitlab #{Gitlab::VERSION}: #{CHAPTERS.length - failed} passed, #{failed} failed"
exit(failed.zero? ? 0 : 1)
