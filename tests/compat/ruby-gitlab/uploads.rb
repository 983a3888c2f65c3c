# frozen_string_literal: true

# Files in projects.

scenario 'a file is uploaded and downloaded' do
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

scenario 'uploads are deleted both ways' do
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

scenario 'uploads are refused' do
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

scenario 'uploads of a deleted user remain' do
  id = project('crew').id
  user, own, = new_user('leaver')
  ADMIN.add_team_member(id, user.id, 30)
  file('testament.txt', 'kept') { |path| own.upload_file(id, path) }
  equal(ADMIN.get("/projects/#{id}/uploads").first.uploaded_by.id, user.id, 'who uploaded')
  ADMIN.delete_user(user.id)
  left = ADMIN.get("/projects/#{id}/uploads").first
  equal([left.filename, left.uploaded_by.username], ['testament.txt', 'ghost'], 'the upload after the deletion')
end
