# frozen_string_literal: true

# Reports, findings, vulnerabilities.

scenario 'a finding becomes a vulnerability once' do
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

scenario 'vulnerabilities are refused' do
  _, stranger, = new_user('outsider')
  base = "/projects/#{project('scanned').id}/vulnerabilities"
  refused(Gitlab::Error::Unauthorized) { ADMIN.get(base, unauthenticated: true) }
  refused(Gitlab::Error::Forbidden) { stranger.get(base) }
  refused(Gitlab::Error::NotFound) { stranger.get("/projects/#{project('crew').id}/vulnerabilities") }
end

scenario 'a token that may only read may not write' do
  user, reader, = new_user('reader', scopes: ['read_api'])
  id = project('crew').id
  ADMIN.add_team_member(id, user.id, 40)
  raise 'a reader reads' unless reader.get("/projects/#{id}/uploads").length
  file('a.txt', 'a') { |path| refused(Gitlab::Error::Forbidden, 'higher privileges') { reader.upload_file(id, path) } }
end
