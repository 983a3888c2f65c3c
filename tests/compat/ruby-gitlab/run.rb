# frozen_string_literal: true

# Tests the server with an unchanged ruby-gitlab.
# It has no methods for topics, tokens and vulnerabilities, so the tests use its get, post, put and delete.
# ALCOVE_URL is the address of the server and ALCOVE_TOKEN the token of an administrator.

require_relative 'support'

# Later scenarios use the data of earlier ones.
%w[accounts projects uploads topics vulnerabilities].each { |part| require_relative part }

scenario 'everything is removed' do
  crew = project('crew')
  ADMIN.delete_project(project('charts').id)
  ADMIN.delete_group(ADMIN.group("harbour-#{RUN}").id)
  refused(Gitlab::Error::NotFound, '404 Group Not Found') { ADMIN.group("harbour-#{RUN}") }
  refused(Gitlab::Error::NotFound, '404 Project Not Found') { ADMIN.project(crew.id) }
end

failed = 0
SCENARIOS.each do |name, scenario|
  scenario.call
  puts "PASS #{name}"
rescue StandardError => e
  failed += 1
  line = e.backtrace.find { |entry| entry.include?(__dir__) && !entry.match?(/in `(equal|refused)'/) }
  puts "FAIL #{name}\n     #{e.class}: #{e.message}\n     #{line}"
end
puts "ruby-gitlab #{Gitlab::VERSION}: #{SCENARIOS.length - failed} passed, #{failed} failed"
exit(failed.zero? ? 0 : 1)
