# frozen_string_literal: true

# What people do with uploads, topics and vulnerabilities, done with an unchanged ruby-gitlab.
# It has no methods for topics, tokens and vulnerabilities: those go through its get, post, put and delete.
# ALCOVE_URL and ALCOVE_TOKEN (of an administrator) say where.

require_relative 'world'

# Their order is the order of the story.
%w[accounts projects uploads topics vulnerabilities].each { |part| require_relative part }

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
  line = e.backtrace.find { |entry| entry.include?(__dir__) && !entry.match?(/in `(equal|refused)'/) }
  puts "FAIL #{name}\n     #{e.class}: #{e.message}\n     #{line}"
end
puts "ruby-gitlab #{Gitlab::VERSION}: #{CHAPTERS.length - failed} passed, #{failed} failed"
exit(failed.zero? ? 0 : 1)
