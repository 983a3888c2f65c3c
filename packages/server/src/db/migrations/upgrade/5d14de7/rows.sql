-- Rows written by the program of commit 5d14de7 through its API, and a few that it holds only for a moment. Triggers
-- write finding_texts.

insert into users (id, username, username_key, email, email_key, name, password_hash, state, is_admin, is_external, can_create_group, projects_limit, created_by_id, created_at, updated_at, is_deactivated, is_banned) values
  (1, 'root', 'root', 'root@alcove.invalid', 'root@alcove.invalid', 'Administrator', null, 'active', true, false, true, 100000, null, '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', false, false),
  (2, 'anna', 'anna', 'anna@example.test', 'anna@example.test', 'anna', '$argon2id$v=19$m=19456,t=2,p=1$G4iigSJXaLCfk1UdbBujEA$7Qgk0gTj9+Ud67/BU1j8F91w8z22JKH4FL1LcizZg+4', 'active', false, false, true, 100000, 1, '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', false, false),
  (4, 'dora', 'dora', 'dora@example.test', 'dora@example.test', 'dora', '$argon2id$v=19$m=19456,t=2,p=1$G4iigSJXaLCfk1UdbBujEA$7Qgk0gTj9+Ud67/BU1j8F91w8z22JKH4FL1LcizZg+4', 'active', false, false, true, 100000, 1, '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', false, false);
insert into organizations (id, name, path, description, is_public, created_at, updated_at, created_by_id) values
  (2, 'Globex', 'globex', 'Partner', false, '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z', 1);
insert into access_tokens (id, user_id, kind, name, digest, scopes, is_revoked, expires_on, created_at, family_id) values
  (1, 1, 'personal', 'First start', '10e044f351359e93c0a942a042f9e06833f832716f290503667ea3c72dc61439', '["api","read_api","read_user","create_runner","manage_runner","k8s_proxy","self_rotate","mcp","granular","ai_features","read_repository","write_repository","read_virtual_registry","write_virtual_registry","read_observability","write_observability","sudo","admin_mode","read_service_ping"]', false, null, '2026-11-20T08:00:00.000Z', null),
  (2, 2, 'personal', 'test', '3cb79c2dc49ca2a66ba1f617bb3a09419bd9723848d58bb4ec9a72e6e719d3e9', '["api"]', false, '2027-11-20', '2026-11-20T08:00:00.000Z', null),
  (4, 4, 'personal', 'test', 'fb2a629a698eb39a613147bad1fd5a495f7983df903d00489d923de6bf676832', '["api"]', false, '2027-11-20', '2026-11-20T08:00:00.000Z', null),
  (5, 2, 'personal', 'ci', '73bbc6ed21e5e01613389c821a9406ef2810b16e53f0ca3a4893f3cb7c0a0d84', '["read_api"]', true, '2027-06-30', '2026-11-20T08:02:00.000Z', null),
  (6, 2, 'personal', 'ci', '31cfe364ad06d29f3edbae4ffda7c1f88db83baf8768bce20c0af5014927aa90', '["read_api"]', false, '2026-11-27', '2026-11-20T08:02:00.000Z', 5),
  (7, 2, 'impersonation', 'support', '4571ae32a7aea23e96a664adb84ab1b46965c39e6b7dbca40b11bccc196b5e98', '["api"]', false, '2027-06-30', '2026-11-20T08:02:00.000Z', null);
insert into token_uses (token_id, last_used_at) values
  (1, '2026-11-20T08:00:00.000Z'),
  (2, '2026-11-20T08:01:00.000Z'),
  (4, '2026-11-20T08:01:00.000Z');
insert into namespaces (id, organization_id, kind, name, path, full_path, full_path_key, full_name, description, visibility, parent_id, owner_id, lineage, created_at, updated_at) values
  (1, 1, 'user', 'Administrator', 'root', 'root', 'root', 'Administrator', '', 'public', null, 1, '', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z'),
  (2, 1, 'user', 'anna', 'anna', 'anna', 'anna', 'anna', '', 'public', null, 2, '', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z'),
  (4, 1, 'user', 'dora', 'dora', 'dora', 'dora', 'dora', '', 'public', null, 4, '', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z'),
  (5, 1, 'group', 'Acme', 'acme', 'acme', 'acme', 'Acme', '', 'public', null, null, '', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z'),
  (6, 1, 'group', 'Tools', 'tools', 'acme/tools', 'acme/tools', 'Acme / Tools', '', 'private', 5, null, '5/', '2026-11-20T08:00:00.000Z', '2026-11-20T08:00:00.000Z');
insert into projects (id, organization_id, namespace_id, creator_id, name, path, full_path, full_path_key, description, visibility, default_branch, is_archived, star_count, enforce_auth_checks_on_uploads, promote_on_ingestion, created_at, updated_at, last_activity_at, max_upload_bytes, upload_quota_bytes, auto_resolve) values
  (1, 1, 5, 2, 'Site', 'site', 'acme/site', 'acme/site', 'Web site', 'private', 'main', false, 0, true, false, '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z', 1000000, 5000000, false),
  (2, 1, 5, 2, 'Library', 'library', 'acme/library', 'acme/library', null, 'public', 'main', false, 1, true, false, '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z', null, null, false);
insert into project_stars (project_id, user_id, created_at) values
  (2, 4, '2026-11-20T08:01:00.000Z');
insert into members (id, namespace_id, project_id, user_id, access_level, expires_on, created_by_id, created_at, updated_at) values
  (1, 1, null, 1, 50, null, null, '2026-11-20T08:00:00.000Z', null),
  (2, 2, null, 2, 50, null, null, '2026-11-20T08:00:00.000Z', null),
  (4, 4, null, 4, 50, null, null, '2026-11-20T08:00:00.000Z', null),
  (5, 5, null, 1, 50, null, 1, '2026-11-20T08:00:00.000Z', null),
  (6, 6, null, 1, 50, null, 1, '2026-11-20T08:00:00.000Z', null),
  (7, 5, null, 2, 40, null, 1, '2026-11-20T08:00:00.000Z', null),
  (8, null, 1, 4, 20, '2027-01-31', 1, '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z');
insert into topics (id, organization_id, name, name_key, title, title_key, total_projects_count, non_private_projects_count, created_at, updated_at) values
  (1, 1, 'security', 'security', 'security', 'security', 1, 0, '2026-11-20T08:01:00.000Z', '2026-11-20T08:08:00.000Z'),
  (2, 1, 'web', 'web', 'web', 'web', 2, 1, '2026-11-20T08:01:00.000Z', '2026-11-20T08:01:00.000Z');
insert into project_topics (id, project_id, topic_id) values
  (1, 1, 1),
  (2, 1, 2),
  (3, 2, 2);
insert into imports (id, project_id, user_id, ref, format, format_version, report_type, scanner_name, file_sha256, file_bytes, findings_read, findings_new, findings_known, findings_gone, findings_returned, findings_merged, findings_skipped, warnings, created_at, state, options, started_at, finished_at, read_bytes, findings_changed, findings_moved, findings_promoted, outcome, shown_at, category) values
  (1, 1, 2, 'main', 'gitlab', '15.2.1', 'sast', 'Test scanner', '19a022893d38eae64c5bb5b108a3ad1c5fd1e60180edf5b08e11e95dccca12e3', 1307, 3, 3, 0, 0, 0, 0, 0, '[]', '2026-11-20T08:04:00.000Z', 'done', '{"promote":true}', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', 1307, 0, 0, 3, '{"warnings":[],"skipped":[],"merged":[],"samples":{"new":[{"uuid":"80cc297e-7144-5de4-922a-acd892ec376f","name":"SQL injection","severity":"critical","reportType":"sast","location":{"file":"src/app.ts","start_line":3,"end_line":3}},{"uuid":"4e160684-b399-5fa9-83a4-891154c9ab56","name":"Weak hash","severity":"low","reportType":"sast","location":{"file":"src/app.ts","start_line":9,"end_line":9}},{"uuid":"78ca05b8-c2fc-57b9-8a14-86b78209ec76","name":"Open redirect","severity":"medium","reportType":"sast","location":{"file":"src/app.ts","start_line":20,"end_line":20}}],"returned":[],"gone":[],"changed":[],"moved":[]},"problems":[]}', '2026-11-20T08:04:00.000Z', 'nightly'),
  (2, 1, 2, 'main', 'gitlab', '15.2.1', 'sast', 'Test scanner', 'e7e449c442fa283db1df84e21e24d93d95342335b18be35a45373cd66a2c1a18', 1533, 4, 2, 2, 1, 0, 0, 0, '[]', '2026-11-20T08:05:00.000Z', 'done', '{}', '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', 1533, 2, 0, 0, '{"warnings":[],"skipped":[],"merged":[],"samples":{"new":[{"uuid":"ce15e47b-ae9a-50c2-8142-cbdbe5cf8265","name":"Debug on","severity":"info","reportType":"sast","location":{"file":"src/app.ts","start_line":30,"end_line":30}},{"uuid":"20f4461d-6b0d-5ff8-aafb-bb3a2d214c18","name":"Path traversal","severity":"high","reportType":"sast","location":{"file":"src/app.ts","start_line":31,"end_line":31}}],"returned":[],"gone":[{"uuid":"78ca05b8-c2fc-57b9-8a14-86b78209ec76","name":"Open redirect","location":{"file":"src/app.ts","start_line":20,"end_line":20},"severity":"medium","reportType":"sast"}],"changed":[{"uuid":"80cc297e-7144-5de4-922a-acd892ec376f","name":"SQL injection","location":{"file":"src/app.ts","start_line":3,"end_line":3},"severity":"critical","reportType":"sast"},{"uuid":"4e160684-b399-5fa9-83a4-891154c9ab56","name":"Weak hash","location":{"file":"src/app.ts","start_line":9,"end_line":9},"severity":"low","reportType":"sast"}],"moved":[]},"problems":[]}', '2026-11-20T08:05:00.000Z', 'nightly'),
  (3, 1, 2, 'feature', 'gitlab', '15.2.1', 'sast', 'Test scanner', '5fa237d9942ad9f72a9438e6bf385ffc6beb065e3d13ab131251c07864fab2d8', 867, 2, 1, 1, 0, 0, 0, 0, '[]', '2026-11-20T08:06:00.000Z', 'done', '{"promote":true}', '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', 867, 0, 0, 1, '{"warnings":[],"skipped":[],"merged":[],"samples":{"new":[{"uuid":"b10c7832-c327-5ebe-bf6f-5f6873e5b4d1","name":"Branch flaw","severity":"medium","reportType":"sast","location":{"file":"src/app.ts","start_line":1,"end_line":1}}],"returned":[],"gone":[],"changed":[],"moved":[]},"problems":[]}', '2026-11-20T08:06:00.000Z', null),
  (4, 1, 1, 'empty', 'gitlab', '15.2.1', 'sast', 'Test scanner', '43c028fdda360b086347e26ad5e4e3cba83f4ca9f90afb1dca2ae1730c4d4c26', 346, 0, 0, 0, 0, 0, 0, 0, '[]', '2026-11-20T08:08:00.000Z', 'done', '{}', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', 346, 0, 0, 0, '{"warnings":[],"skipped":[],"merged":[],"samples":{"new":[],"returned":[],"gone":[],"changed":[],"moved":[]},"problems":[]}', '2026-11-20T08:08:00.000Z', null);
insert into scanners (id, project_id, external_id, name, vendor, created_at) values
  (1, 1, 'test-scanner', 'Test scanner', 'Acme', '2026-11-20T08:04:00.000Z'),
  (3, 1, 'other-scanner', 'Test scanner', 'Acme', '2026-11-20T08:06:00.000Z');
insert into identifiers (id, project_id, fingerprint, external_type, external_id, name) values
  (1, 1, '2bb2cb8d3139e0fb435181e6fedc72d6d0b64512', 'cwe', '79', 'CWE-79'),
  (2, 1, '988d4e64c49554829f4c7cd68d64508b2235ba6f', 'test_rule', 'hash', 'Rule hash'),
  (3, 1, '9c82e06ba91603549c3a707cf850cf7e3a66de86', 'test_rule', 'sql', 'Rule sql'),
  (4, 1, 'acfa69e2f1722b9bfe0e357a57e0105513a43f8f', 'test_rule', 'redirect', 'Rule redirect'),
  (5, 1, '102435f53ffe1f7dcad3415a166f3a739ee51675', 'test_rule', 'debug', 'Rule debug'),
  (6, 1, 'e63b4e4c2118ad9e2c64741a548908c3bcbe09a1', 'test_rule', 'path', 'Rule path'),
  (7, 1, '018ffd6312df4ea577a3cd4792888b3f7144ec2a', 'test_rule', 'branch', 'Rule branch');
insert into vulnerabilities (id, project_id, author_id, title, state, severity, confidence, report_type, is_on_default_branch, is_resolved_on_default_branch, confirmed_at, confirmed_by_id, dismissed_at, dismissed_by_id, resolved_at, resolved_by_id, created_at, updated_at, scanner_id, dismissal_reason, is_severity_overridden, is_auto_resolved) values
  (1, 1, 2, 'SQL injection', 'confirmed', 6, 2, 'sast', true, false, '2026-11-20T08:07:00.000Z', 2, null, null, null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:07:00.000Z', 1, null, true, false),
  (2, 1, 2, 'Weak hash', 'dismissed', 6, 2, 'sast', true, false, null, null, '2026-11-20T08:07:00.000Z', 2, null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:07:00.000Z', 1, 'used_in_tests', false, false),
  (3, 1, 2, 'Open redirect', 'resolved', 5, 2, 'sast', true, true, null, null, null, null, '2026-11-20T08:07:00.000Z', 2, '2026-11-20T08:04:00.000Z', '2026-11-20T08:07:00.000Z', 1, null, false, false),
  (4, 1, 2, 'Branch flaw', 'detected', 5, 2, 'sast', false, false, null, null, null, null, null, null, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', 3, null, false, false),
  (5, 1, 2, 'Debug on', 'detected', 1, 2, 'sast', true, false, null, null, null, null, null, null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z', 1, null, false, false);
insert into findings (id, project_id, vulnerability_id, uuid, report_type, scanner_id, primary_identifier_id, name, description, severity, confidence, location, location_fingerprint, details, extras, digest, metadata_version, raw_metadata, detected_at, created_at, updated_at, import_id) values
  (1, 1, 1, '80cc297e-7144-5de4-922a-acd892ec376f', 'sast', 1, 3, 'SQL injection', 'SQL injection at line 5', 7, 2, '{"file":"src/app.ts","start_line":5,"end_line":5}', '15e9db256f4be29509a9825310747054cded949b', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[{"algorithm":"scope_offset","sha":"d3a292f0b23692e411b38036266449db29d8d657"}]}', '8a88637587cd723287da0acef09cec1d1894e09b', '15.2.1', '{"id":"sql-src/app.ts-5","name":"SQL injection","description":"SQL injection at line 5","severity":"Critical","location":{"file":"src/app.ts","start_line":5,"end_line":5},"identifiers":[{"type":"test_rule","name":"Rule sql","value":"sql"}],"raw_source_code_extract":"query(x)","tracking":{"type":"source","items":[{"file":"src/app.ts","start_line":5,"end_line":5,"signatures":[{"algorithm":"scope_offset","value":"sig-sql"}]}]}}', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', '2026-11-20T08:05:00.000Z', 1),
  (2, 1, 2, '4e160684-b399-5fa9-83a4-891154c9ab56', 'sast', 1, 2, 'Weak hash', 'Weak hash at line 9', 6, 2, '{"file":"src/app.ts","start_line":9,"end_line":9}', '29fa2e623c4756485b203fa8bf0e13e620d5984d', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[]}', '71362b4fa07d5cde48745ed8407b2e50a73fd1bb', '15.2.1', '{"id":"hash-src/app.ts-9","name":"Weak hash","description":"Weak hash at line 9","severity":"High","location":{"file":"src/app.ts","start_line":9,"end_line":9},"identifiers":[{"type":"test_rule","name":"Rule hash","value":"hash"},{"type":"cwe","name":"CWE-79","value":"79"}]}', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', '2026-11-20T08:05:00.000Z', 1),
  (3, 1, 3, '78ca05b8-c2fc-57b9-8a14-86b78209ec76', 'sast', 1, 4, 'Open redirect', 'Open redirect at line 20', 5, 2, '{"file":"src/app.ts","start_line":20,"end_line":20}', '6b25e61f415ed6e8e2d600d5b85b767ac3381ab8', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[]}', 'd4d9cb76120ff1a6f84c85f005364cd3c82c18e5', '15.2.1', '{"id":"redirect-src/app.ts-20","name":"Open redirect","description":"Open redirect at line 20","severity":"Medium","location":{"file":"src/app.ts","start_line":20,"end_line":20},"identifiers":[{"type":"test_rule","name":"Rule redirect","value":"redirect"}]}', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', 1),
  (4, 1, 5, 'ce15e47b-ae9a-50c2-8142-cbdbe5cf8265', 'sast', 1, 5, 'Debug on', 'Debug on at line 30', 1, 2, '{"file":"src/app.ts","start_line":30,"end_line":30}', 'bda4cdae3bb89984dbb1086e9830f6676324b929', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[]}', 'a4f765a136b06d5354526ab51a12ddcb911481af', '15.2.1', '{"id":"debug-src/app.ts-30","name":"Debug on","description":"Debug on at line 30","severity":"Info","location":{"file":"src/app.ts","start_line":30,"end_line":30},"identifiers":[{"type":"test_rule","name":"Rule debug","value":"debug"}]}', '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', '2026-11-20T08:07:00.000Z', 2),
  (5, 1, null, '20f4461d-6b0d-5ff8-aafb-bb3a2d214c18', 'sast', 1, 6, 'Path traversal', 'Path traversal at line 31', 6, 2, '{"file":"src/app.ts","start_line":31,"end_line":31}', '0f3da9a4f2b9ed0865091fe539273236ebcd26a4', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[]}', '6da6bf4ab0ac44cafc9a03a9a1ee4ea37d7579c1', '15.2.1', '{"id":"path-src/app.ts-31","name":"Path traversal","description":"Path traversal at line 31","severity":"High","location":{"file":"src/app.ts","start_line":31,"end_line":31},"identifiers":[{"type":"test_rule","name":"Rule path","value":"path"}]}', '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', 2),
  (6, 1, 4, 'b10c7832-c327-5ebe-bf6f-5f6873e5b4d1', 'sast', 3, 7, 'Branch flaw', 'Branch flaw at line 1', 5, 2, '{"file":"src/app.ts","start_line":1,"end_line":1}', 'd4c807bf3abad5604f5dcc55625ee769a553f21e', '{}', '{"links":[],"flags":[],"evidence":null,"assets":[],"cvss":[],"remediations":[],"signatures":[]}', '2f12dd0c6c3efbd2bd6a4d6084efcb2718f405c0', '15.2.1', '{"id":"branch-src/app.ts-1","name":"Branch flaw","description":"Branch flaw at line 1","severity":"Medium","location":{"file":"src/app.ts","start_line":1,"end_line":1},"identifiers":[{"type":"test_rule","name":"Rule branch","value":"branch"}]}', '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', 3);
insert into finding_identifiers (finding_id, position, identifier_id) values
  (1, 0, 3),
  (2, 0, 2),
  (2, 1, 1),
  (3, 0, 4),
  (4, 0, 5),
  (5, 0, 6),
  (6, 0, 7);
insert into occurrences (id, project_id, finding_id, ref, severity, is_present, first_import_id, last_import_id, first_seen_at, last_seen_at, categories) values
  (1, 1, 1, 'main', 6, true, 1, 1, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', ',1,'),
  (2, 1, 2, 'main', 6, true, 1, 1, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', ',1,'),
  (3, 1, 3, 'main', 5, false, 1, 1, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', ',1,'),
  (4, 1, 4, 'main', 1, true, 2, 2, '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', ',1,'),
  (5, 1, 5, 'main', 6, true, 2, 2, '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', ',1,'),
  (6, 1, 6, 'feature', 5, true, 3, 3, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', ''),
  (7, 1, 2, 'feature', 6, true, 3, 3, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', '');
insert into uploads (id, project_id, namespace_id, uploaded_by_id, secret, filename, content_type, bytes, sha256, object_key, created_at, deleted_at, deleted_by_id) values
  (1, 1, null, 2, 'bba8c3c44d906138b1809bcf7bc83c19', 'notes.txt', 'text/plain', 10, 'ad23ef15eb387e50a42fa09560d689e2e272e44d5c00b86d5db80d5d1382f719', 'files/49eec60c2fbe3d8dd17cd1e24f1466bd', '2026-11-20T08:03:00.000Z', null, null),
  (2, 1, null, 4, 'e25a7b69fdf50946bd59e795ad0e4e9f', 'old.txt', 'text/plain', 12, '5f5f99858a2edca23891f93e599c7db6a88c722475bc5875bdc871dbb1a75ffe', 'files/4061c183a4a7d2292249f32212026f85', '2026-11-20T08:03:00.000Z', '2026-11-20T08:03:00.000Z', 2),
  (3, null, 5, 1, 'fd59bf74706ec1fe5d543dfe60a58fed', 'logo.png', 'image/png', 70, '6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0', 'files/98a107766335919f866d3359b83bf66b', '2026-11-20T08:03:00.000Z', null, null),
  (4, 1, null, null, '9197face461338995b190cad5b38c05f', 'eve.txt', 'text/plain', 11, '4aaba3cf4f88a4c0b14c3a7cf89f14bf87e03f18aa2b7273f4a1509f89aecfbc', 'files/b2b0977c12987c0e6d62904a66250da4', '2026-11-20T08:08:00.000Z', null, null);
insert into upload_usage (project_id, namespace_id, files, bytes) values
  (null, 5, 1, 70),
  (1, null, 2, 21);
insert into doomed_objects (id, object_key, doomed_at) values
  (6, 'files/00000000000000000000000000000001', '2026-11-20T08:08:00.000Z');
insert into sessions (id, user_id, digest, expires_at, created_at, address, user_agent) values
  (1, 2, '6422232ec2394325eb6bf5033cf590db634715c0d24ea1be2b44329e302408ac', '2026-12-04T08:02:00.000Z', '2026-11-20T08:02:00.000Z', '127.0.0.1', 'lightMyRequest');
insert into moved_paths (path_key, project_id, created_at) values
  ('acme/lib', 2, '2026-11-20T08:01:00.000Z');
insert into topic_names (id, organization_id, topic_id, name, name_key, is_alias, created_at) values
  (1, 1, 1, 'security', 'security', false, '2026-11-20T08:01:00.000Z'),
  (2, 1, 2, 'web', 'web', false, '2026-11-20T08:01:00.000Z'),
  (3, 1, 2, 'websites', 'websites', true, '2026-11-20T08:01:00.000Z'),
  (4, 1, 1, 'infosec', 'infosec', true, '2026-11-20T08:02:00.000Z'),
  (5, 1, 2, 'pages', 'pages', true, '2026-11-20T08:03:00.000Z');
insert into topic_merges (id, organization_id, source_id, source_name, source_title, source_description, source_avatar_key, source_avatar_filename, source_avatar_content_type, source_avatar_bytes, source_created_at, source_updated_at, target_id, target_name, moved_projects_count, shared_projects_count, keeps_alias, merged_by_id, merged_at) values
  (1, 1, 3, 'websites', 'websites', 'Sites', 'files/ce258fd9f1ada953cf8350839420b6db', 'pixel.png', 'image/png', 70, '2026-11-20T08:01:00.000Z', '2026-11-20T08:02:00.000Z', 2, 'web', 0, 1, true, 1, '2026-11-20T08:03:00.000Z');
insert into topic_merge_projects (merge_id, project_id, had_both) values
  (1, 2, true);
insert into topic_merge_aliases (merge_id, name, name_key, created_at) values
  (1, 'pages', 'pages', '2026-11-20T08:03:00.000Z');
insert into session_uses (session_id, last_used_at) values
  (1, '2026-11-20T08:08:00.000Z');
insert into password_links (id, user_id, digest, expires_at, created_at) values
  (1, 1, '1e5d19ab427bc7093b5dd8980169359c9be3a370ad7634a5e101bceffab88867', '2026-11-21T08:00:00.000Z', '2026-11-20T08:00:00.000Z'),
  (2, 4, '6d3b60ad19e0d051a06479dc44797ffeca3102a57d46d344ac6ad93ddc505d11', '2026-11-21T08:02:00.000Z', '2026-11-20T08:02:00.000Z');
insert into request_counts (name, subject, requests, ends_at) values
  ('sign_in', '192.0.2.1', 3, '2026-11-20T09:00:00.000Z');
insert into vulnerability_counts (project_id, is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch, dismissal_reason, total, seconds) values
  (1, false, 5, 'detected', 'sast', 3, false, '', 1, 0),
  (1, true, 1, 'detected', 'sast', 1, false, '', 1, 0),
  (1, true, 4, 'detected', 'sast', 1, false, '', 0, 0),
  (1, true, 5, 'detected', 'sast', 1, false, '', 0, 0),
  (1, true, 5, 'detected', 'sast', 1, true, '', 0, 0),
  (1, true, 5, 'resolved', 'sast', 1, true, '', 1, 180),
  (1, true, 6, 'confirmed', 'sast', 1, false, '', 1, 0),
  (1, true, 6, 'detected', 'sast', 1, false, '', 0, 0),
  (1, true, 6, 'dismissed', 'sast', 1, false, 'used_in_tests', 1, 0),
  (1, true, 7, 'detected', 'sast', 1, false, '', 0, 0);
insert into vulnerability_days (project_id, day, severity, growth) values
  (1, '2026-11-20', 1, 1),
  (1, '2026-11-20', 4, 0),
  (1, '2026-11-20', 5, 0),
  (1, '2026-11-20', 6, 1),
  (1, '2026-11-20', 7, 0);
insert into vulnerability_bulks (id, project_id, user_id, action, changed, unchanged, created_at) values
  (1, 1, 2, 'resolve', 1, 0, '2026-11-20T08:07:00.000Z');
insert into vulnerability_history (id, vulnerability_id, kind, user_id, import_id, bulk_id, ref, from_value, to_value, comment, dismissal_reason, details, created_at, updated_at) values
  (1, 1, 'created', 2, 1, null, 'main', null, null, null, null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z'),
  (2, 2, 'created', 2, 1, null, 'main', null, null, null, null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z'),
  (3, 3, 'created', 2, 1, null, 'main', null, null, null, null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z'),
  (4, 3, 'gone', 2, 2, null, 'main', null, null, null, null, null, '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z'),
  (5, 2, 'severity', null, 2, null, 'main', 'low', 'high', null, null, null, '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z'),
  (6, 2, 'found', 2, 3, null, 'feature', null, null, null, null, null, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z'),
  (7, 4, 'created', 2, 3, null, 'feature', null, null, null, null, null, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z'),
  (8, 2, 'state', 2, null, null, null, 'detected', 'dismissed', 'Only in tests', 'used_in_tests', null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (9, 1, 'severity', 2, null, null, null, 'critical', 'high', null, null, null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (10, 1, 'state', 2, null, null, null, 'detected', 'confirmed', null, null, null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (11, 1, 'linked', 2, null, null, null, null, null, null, null, '{"url":"https://issues.example.test/1","title":"Issue 1","link_type":"related"}', '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (12, 1, 'note', 2, null, null, null, null, null, 'Fix it soon', null, null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (13, 3, 'state', 2, null, 1, null, 'detected', 'resolved', 'Fixed', null, '{"before":{"state":"detected","severity":"medium","isSeverityOverridden":false,"isAutoResolved":false,"dismissalReason":null,"confirmedAt":null,"confirmedById":null,"dismissedAt":null,"dismissedById":null,"resolvedAt":null,"resolvedById":null}}', '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (14, 5, 'created', 2, 2, null, 'main', null, null, null, null, null, '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z'),
  (15, 2, 'note', null, null, null, null, null, null, 'Written by Eve', null, null, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z');
insert into vulnerability_links (id, vulnerability_id, user_id, link_type, url, title, created_at, updated_at) values
  (1, 1, 2, 'related', 'https://issues.example.test/1', 'Issue 1', '2026-11-20T08:07:00.000Z', '2026-11-20T08:07:00.000Z');
insert into jobs (id, kind, key, payload, state, attempts, run_at, done, total, created_at, started_at, finished_at) values
  (1, 'import', 'import:1', '{"importId":1}', 'finished', 1, '2026-11-20T08:04:00.000Z', null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z'),
  (2, 'webhook', 'hook:1', '{"hook_id":1}', 'waiting', 0, '2026-11-20T08:08:09.571Z', null, null, '2026-11-20T08:04:00.000Z', '2026-11-20T08:08:00.000Z', null),
  (3, 'import', 'import:1', '{"importId":2}', 'finished', 1, '2026-11-20T08:05:00.000Z', null, null, '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z', '2026-11-20T08:05:00.000Z'),
  (4, 'import', 'import:1', '{"importId":3}', 'finished', 1, '2026-11-20T08:06:00.000Z', null, null, '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z', '2026-11-20T08:06:00.000Z'),
  (11, 'export', 'export:1', '{"export_id":1}', 'finished', 1, '2026-11-20T08:08:00.000Z', 4, 4, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z'),
  (12, 'export', 'export:2', '{"export_id":2}', 'finished', 1, '2026-11-20T08:08:00.000Z', 4, 4, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z'),
  (13, 'import', 'import:1', '{"importId":4}', 'finished', 1, '2026-11-20T08:08:00.000Z', null, null, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z'),
  (14, 'promotion', 'promotion:1', '{"promotionId":1}', 'waiting', 0, '2026-11-20T09:00:00.000Z', null, null, '2026-11-20T08:08:00.000Z', null, null);
insert into hooks (id, project_id, url, name, token, has_vulnerability_events, verifies_certificates, failures, disabled_until, created_at, updated_at) values
  (1, 1, 'https://hooks.example.test/x', 'Chat', 'secret', true, true, 1, '2026-11-20T08:08:09.571Z', '2026-11-20T08:04:00.000Z', '2026-11-20T08:04:00.000Z');
insert into hook_events (id, hook_id, uuid, payload, is_waiting, attempts, created_at) values
  (1, 1, '3c961924-10d7-497c-82c4-4d41108f2b77', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/1","title":"SQL injection","state":"detected","project_id":1,"location":{"file":"src/app.ts","start_line":3,"end_line":3},"cvss":[],"severity":"critical","severity_overridden":false,"identifiers":[{"name":"Rule sql","external_id":"sql","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:04:00.000Z"}}', true, 1, '2026-11-20T08:04:00.000Z'),
  (2, 1, '568f902b-bc9c-41e3-92c5-8c9ff6755a03', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/2","title":"Weak hash","state":"detected","project_id":1,"location":{"file":"src/app.ts","start_line":9,"end_line":9},"cvss":[],"severity":"low","severity_overridden":false,"identifiers":[{"name":"Rule hash","external_id":"hash","external_type":"test_rule","url":null},{"name":"CWE-79","external_id":"79","external_type":"cwe","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:04:00.000Z"}}', true, 0, '2026-11-20T08:04:00.000Z'),
  (3, 1, '466b26f2-e003-4d82-a66a-b6466c31c4e5', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/3","title":"Open redirect","state":"detected","project_id":1,"location":{"file":"src/app.ts","start_line":20,"end_line":20},"cvss":[],"severity":"medium","severity_overridden":false,"identifiers":[{"name":"Rule redirect","external_id":"redirect","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:04:00.000Z"}}', true, 0, '2026-11-20T08:04:00.000Z'),
  (4, 1, '5a30b894-5746-4510-ace7-7e164a4858ca', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/4","title":"Branch flaw","state":"detected","project_id":1,"location":{"file":"src/app.ts","start_line":1,"end_line":1},"cvss":[],"severity":"medium","severity_overridden":false,"identifiers":[{"name":"Rule branch","external_id":"branch","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:06:00.000Z","updated_at":"2026-11-20T08:06:00.000Z"}}', true, 0, '2026-11-20T08:06:00.000Z'),
  (5, 1, '808ae754-0eca-486b-9044-aa1743d6041a', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/2","title":"Weak hash","state":"dismissed","project_id":1,"location":{"file":"src/app.ts","start_line":9,"end_line":9},"cvss":[],"severity":"high","severity_overridden":false,"identifiers":[{"name":"Rule hash","external_id":"hash","external_type":"test_rule","url":null},{"name":"CWE-79","external_id":"79","external_type":"cwe","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":"2026-11-20T08:07:00.000Z","dismissed_by_id":2,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}}', true, 0, '2026-11-20T08:07:00.000Z'),
  (6, 1, '3d05b0dd-bc9f-4e0f-852a-f0a498c65d6d', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/1","title":"SQL injection","state":"confirmed","project_id":1,"location":{"file":"src/app.ts","start_line":5,"end_line":5},"cvss":[],"severity":"high","severity_overridden":true,"identifiers":[{"name":"Rule sql","external_id":"sql","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":"2026-11-20T08:07:00.000Z","confirmed_by_id":2,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}}', true, 0, '2026-11-20T08:07:00.000Z'),
  (7, 1, '74c253d5-3855-496b-abb1-87debc0e11b2', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/1","title":"SQL injection","state":"confirmed","project_id":1,"location":{"file":"src/app.ts","start_line":5,"end_line":5},"cvss":[],"severity":"high","severity_overridden":true,"identifiers":[{"name":"Rule sql","external_id":"sql","external_type":"test_rule","url":null}],"issues":[{"title":"Issue 1","url":"https://issues.example.test/1","created_at":"2026-11-20T08:07:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}],"report_type":"sast","confirmed_at":"2026-11-20T08:07:00.000Z","confirmed_by_id":2,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}}', true, 0, '2026-11-20T08:07:00.000Z'),
  (8, 1, '25e09108-cb24-43cd-8ddc-f9a35227b71d', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/3","title":"Open redirect","state":"resolved","project_id":1,"location":{"file":"src/app.ts","start_line":20,"end_line":20},"cvss":[],"severity":"medium","severity_overridden":false,"identifiers":[{"name":"Rule redirect","external_id":"redirect","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":"2026-11-20T08:07:00.000Z","resolved_by_id":2,"auto_resolved":false,"resolved_on_default_branch":true,"created_at":"2026-11-20T08:04:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}}', true, 0, '2026-11-20T08:07:00.000Z'),
  (9, 1, 'b4cd9a26-4b11-4799-a4ab-07ae66743e8f', '{"object_kind":"vulnerability","object_attributes":{"url":"http://127.0.0.1:8080/acme/site/-/security/vulnerabilities/5","title":"Debug on","state":"detected","project_id":1,"location":{"file":"src/app.ts","start_line":30,"end_line":30},"cvss":[],"severity":"info","severity_overridden":false,"identifiers":[{"name":"Rule debug","external_id":"debug","external_type":"test_rule","url":null}],"issues":[],"report_type":"sast","confirmed_at":null,"confirmed_by_id":null,"dismissed_at":null,"dismissed_by_id":null,"resolved_at":null,"resolved_by_id":null,"auto_resolved":false,"resolved_on_default_branch":false,"created_at":"2026-11-20T08:07:00.000Z","updated_at":"2026-11-20T08:07:00.000Z"}}', true, 0, '2026-11-20T08:07:00.000Z');
insert into hook_deliveries (id, hook_id, event_id, url, request_headers, response_headers, response_body, error, duration_ms, created_at) values
  (1, 1, 1, 'https://hooks.example.test/x', '{"Content-Type":"application/json","User-Agent":"Alcove/18.9.0-alcove","Idempotency-Key":"e59926f7-dba8-8532-9a13-323ef5a40742","X-Gitlab-Event":"Vulnerability Hook","X-Gitlab-Webhook-UUID":"6dd10cf5-6f2c-466f-b832-cfd88da9d5ad","X-Gitlab-Instance":"http://127.0.0.1:8080","X-Gitlab-Event-UUID":"3c961924-10d7-497c-82c4-4d41108f2b77","X-Gitlab-Token":"[REDACTED]"}', '{}', '', 'hooks.example.test leads to this machine or into a private network, which is not allowed', 8, '2026-11-20T08:08:00.000Z');
insert into vulnerability_exports (id, author_id, project_id, format, filters, sends_email, status, filename, object_key, bytes, created_at, started_at, finished_at, expires_at) values
  (1, 2, 1, 'csv', '{}', false, 'finished', 'acme-site_vulnerabilities_2026-11-20T0808.csv', 'files/6534867428f3647cb630997fd1e95585', 1637, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-27T08:08:00.000Z'),
  (2, 2, 1, 'json', '{}', false, 'finished', 'acme-site_vulnerabilities_2026-11-20T0808.json', 'files/eb0a42e984436463252b25c04bcade2c', 8222, '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-20T08:08:00.000Z', '2026-11-27T08:08:00.000Z');
insert into finding_keys (finding_id, rank, project_id, key) values
  (1, 12, 1, 'CIGJppx86-iflGjPDxsewP'),
  (1, 20, 1, 'bwK0XtR9RCSfFCbpflTk2U'),
  (1, 30, 1, 'amoCIWuqwUTzw5PgnU1HSC'),
  (2, 20, 1, 'o2PN4oL1H22It6_SGDpnCx'),
  (4, 20, 1, '6EaSpViM8h_ox4uBRYgT6Y'),
  (5, 20, 1, 'ajEhzaZBqLeFGFzVMCtqLu');
insert into finding_matches (id, project_id, finding_id, import_id, uuid, reason, ref, old_location, new_location, created_at) values
  (1, 1, 1, 2, '11111111-2222-5333-8444-555555555555', 'signature', 'main', '{"file":"src/old.ts"}', '{"file":"src/app.ts"}', '2026-11-20T08:08:00.000Z');
insert into staged_findings (import_id, uuid, draft) values
  (3, '11111111-2222-5333-8444-666666666666', '{"name":"Staged"}');
insert into token_addresses (token_id, address, last_used_at) values
  (1, '127.0.0.1', '2026-11-20T08:00:00.000Z'),
  (1, '192.0.2.7', '2026-11-20T08:08:00.000Z'),
  (2, '127.0.0.1', '2026-11-20T08:01:00.000Z'),
  (4, '127.0.0.1', '2026-11-20T08:01:00.000Z');
insert into staged_promotions (import_id, position, finding_ids) values
  (3, 0, '[5]');
insert into promoted_findings (finding_id, vulnerability_id, facets, scanner_id) values
  (1, 1, 1070, 1),
  (2, 2, 1598, 1),
  (3, 3, 1141, 1),
  (4, 5, 1057, 1),
  (6, 4, 1029, 3);
insert into finding_promotions (id, project_id, user_id, state, total, promoted, unchanged, created_at) values
  (1, 1, 2, 'running', 1, 0, 0, '2026-11-20T08:08:00.000Z');
insert into finding_promotion_slices (promotion_id, position, finding_ids) values
  (1, 0, '[5]');
insert into report_categories (id, project_id, name) values
  (1, 1, 'nightly');
insert into scans (import_id, scanner_id, report_type, ref, is_complete, seen_at, category_id) values
  (1, 1, 'sast', 'main', true, '2026-11-20T08:04:00.000Z', 1),
  (2, 1, 'sast', 'main', true, '2026-11-20T08:05:00.000Z', 1),
  (3, 3, 'sast', 'feature', true, '2026-11-20T08:06:00.000Z', null),
  (4, 1, 'sast', 'empty', true, '2026-11-20T08:08:00.000Z', null);
