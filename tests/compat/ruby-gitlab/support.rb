# frozen_string_literal: true

# Clients, builders and assertions of the scenarios.

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
SCENARIOS = []

def scenario(name, &block)
  SCENARIOS << [name, block]
end

def equal(actual, expected, what)
  raise "#{what}: expected #{expected.inspect}, got #{actual.inspect}" unless actual == expected
end

# Expects ruby-gitlab's error of this class with this text in its message.
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

# Downloads a file like the client itself, which parses ASCII content as JSON.
def download(client, path)
  parser = proc do |body, _|
    is_binary = body.encoding == Encoding::ASCII_8BIT
    is_binary ? Gitlab::FileResponse.new(StringIO.new(body, 'rb+')) : Gitlab::Request.parse(body)
  end
  client.get(path, format: nil, headers: { Accept: 'application/octet-stream' }, parser: parser)
end
