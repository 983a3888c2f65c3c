# frozen_string_literal: true

# Users and their tokens.

scenario 'the administrator signs in' do
  equal(ADMIN.user.username, 'root', 'name')
  raise 'no version' unless ADMIN.version.version.match?(/\A\d+\.\d+/)

  short = client('x' * 20) # goes out as PRIVATE-TOKEN, longer ones as Bearer
  refused(Gitlab::Error::Unauthorized, '401 Unauthorized') { short.user }
end

scenario 'a user is created, found and removed' do
  user, own, = new_user('nadia')
  equal(ADMIN.users(username: user.username).map(&:id), [user.id], 'users of that name')
  equal(ADMIN.user_search(user.username).map(&:id), [user.id], 'users found')
  equal(own.user.id, user.id, 'who the token is')
  refused(Gitlab::Error::Conflict) { new_user('nadia') }
  ADMIN.delete_user(user.id)
  refused(Gitlab::Error::NotFound) { ADMIN.user(user.id) }
end

scenario 'a user is blocked and let in again' do
  user, own, = new_user('visitor')
  ADMIN.block_user(user.id)
  refused(Gitlab::Error::Forbidden) { own.user }
  equal(ADMIN.user(user.id).state, 'blocked', 'state')
  ADMIN.unblock_user(user.id)
  equal(own.user.id, user.id, 'who the token is')
  ADMIN.edit_user(user.id, name: 'Renamed')
  equal(own.user.name, 'Renamed', 'name')
end

scenario 'a token is replaced' do
  user, own, = new_user('holder')
  fresh = own.post('/personal_access_tokens/self/rotate')
  refused(Gitlab::Error::Unauthorized) { own.user }
  equal(client(fresh.token).user.id, user.id, 'who the new token is')
end

scenario 'a revoked token is dead at once' do
  _, own, token = new_user('pat')
  ADMIN.delete("/personal_access_tokens/#{token.id}")
  refused(Gitlab::Error::Unauthorized) { own.user }
  refused(Gitlab::Error::Unauthorized) { own.get('/topics') }
end

scenario 'a token that is over is told so' do
  user, own, = new_user('keys')
  body = { name: 'old', scopes: ['read_api'], expires_at: '2020-01-01' }
  old = ADMIN.post("/users/#{user.id}/personal_access_tokens", body: body)
  refused(Gitlab::Error::Unauthorized, 'Token is expired') { client(old.token).user }
  names = own.get('/personal_access_tokens', query: { sort: 'name_asc' }).map(&:name)
  equal(names, %w[old story], 'his tokens')
  equal(own.get('/personal_access_tokens', query: { state: 'active' }).map(&:name), ['story'], 'those that work')
end

scenario 'a banned user stays out until the ban is lifted' do
  user, own, = new_user('pirate')
  ADMIN.post("/users/#{user.id}/ban")
  refused(Gitlab::Error::Forbidden, 'Your account has been blocked') { own.user }
  equal(ADMIN.user(user.id).state, 'banned', 'state')
  refused(Gitlab::Error::Forbidden, 'cannot ban banned users') { ADMIN.post("/users/#{user.id}/ban") }
  ADMIN.post("/users/#{user.id}/unban")
  equal(own.user.id, user.id, 'who the token is')
end
