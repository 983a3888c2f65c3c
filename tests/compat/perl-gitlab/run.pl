#!/usr/bin/env perl
# Tests the server with an unchanged GitLab::API::v4.
# It has no methods for topics, for reading uploads and for vulnerabilities, so the tests use its REST client.
# ALCOVE_URL is the address of the server and ALCOVE_TOKEN the token of an administrator.
use strict;
use warnings;
use utf8;

use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use GitLab::API::v4;
use JSON;
use Time::HiRes qw(time);

my $url    = $ENV{ALCOVE_URL} or die 'ALCOVE_URL is not set';
my $token  = $ENV{ALCOVE_TOKEN} or die 'ALCOVE_TOKEN is not set';
my $run    = sprintf '%x', time * 1000;
my $report = dirname(__FILE__) . '/../sast-report.json';
my $json   = JSON->new->canonical->allow_nonref;
my ($passed, $failed) = (0, 0);

my $admin = client($token);

sub client { return GitLab::API::v4->new(url => "$url/api/v4", private_token => $_[0]) }

sub scenario {
    my ($name, $scenario) = @_;
    if (eval { $scenario->(); 1 }) { $passed++; print "PASS $name\n" }
    else { $failed++; print "FAIL $name\n     $@" }
    return;
}

sub equal {
    my ($actual, $expected, $what) = @_;
    my ($got, $wanted) = map { $json->encode($_) } $actual, $expected;
    die "$what: expected $wanted, got $got\n" if $got ne $wanted;
    return;
}

# The client throws the status and the first 50 characters of the body, except for a GET with 404.
sub refused {
    my ($status, $text, $ask) = @_;
    die "expected a refusal with $status\n" if eval { $ask->(); 1 };
    die "expected HTTP $status and $text, got $@" if $@ !~ /\(HTTP \Q$status\E\)/ or index($@, $text) < 0;
    return;
}

sub rest {
    my ($api, $verb, $path, $vars, $options) = @_;
    return $api->rest_client->request($verb, $path, $vars, { headers => $api->_auth_headers, %{ $options || {} } });
}

sub new_user {
    my ($name) = @_;
    $admin->create_user({
        username => "$name-$run", email => "$name-$run\@example.test", name => ucfirst $name,
        password => 'correct horse battery', skip_confirmation => 1,
    });
    my $id = $admin->users({ username => "$name-$run" })->[0]{id};
    my $issued = rest($admin, 'POST', 'users/:id/personal_access_tokens', [$id],
        { content => { name => 'story', scopes => ['api'] } });
    return ($id, client($issued->{token}));
}

sub new_project {
    my ($path, %more) = @_;
    my $group = $admin->group("harbour-$run");
    return $admin->create_project({ name => $path, path => $path, namespace_id => $group->{id}, %more });
}

sub project { return $admin->project("harbour-$run/$_[0]") }

sub written {
    my ($name, $content) = @_;
    my $path = tempdir(CLEANUP => 1) . "/$name";
    open my $out, '>:raw', $path or die "$path: $!";
    print {$out} $content;
    close $out or die "$path: $!";
    return $path;
}

scenario 'the administrator signs in' => sub {
    equal($admin->current_user->{username}, 'root', 'name');
    refused(401, '401 Unauthorized', sub { client('glpat-never-issued-000')->current_user });
};

scenario 'a user is created, found and removed' => sub {
    my ($id, $own) = new_user('nadia');
    equal($own->current_user->{id}, $id, 'who the token is');
    equal($admin->sudo("nadia-$run")->current_user->{id}, $id, 'for whom the administrator acts');
    $admin->delete_user($id);
    equal($admin->users({ username => "nadia-$run" }), [], 'users of that name');
};

scenario 'a user is blocked and let in again' => sub {
    my ($id, $own) = new_user('guest');
    $admin->block_user($id);
    refused(403, '403 Forbidden - Your account', sub { $own->current_user });
    $admin->unblock_user($id);
    equal($own->current_user->{id}, $id, 'who the token is');
    $admin->edit_user($id, { name => 'Renamed' });
    equal($own->current_user->{name}, 'Renamed', 'name');
};

scenario 'a banned user stays out until the ban is lifted' => sub {
    my ($id, $own) = new_user('pirate');
    rest($admin, 'POST', 'users/:id/ban', [$id]);
    refused(403, '403 Forbidden - Your account', sub { $own->current_user });
    equal($admin->user($id)->{state}, 'banned', 'state');
    rest($admin, 'POST', 'users/:id/unban', [$id]);
    equal($own->current_user->{id}, $id, 'who the token is');
};

scenario 'a token is replaced' => sub {
    my ($id, $own) = new_user('keeper');
    my $fresh = rest($own, 'POST', 'personal_access_tokens/self/rotate', []);
    refused(401, 'invalid_token', sub { $own->current_user });
    equal(client($fresh->{token})->current_user->{id}, $id, 'who the new token is');
};

scenario 'an impersonation token works' => sub {
    my ($id) = new_user('imp');
    my $issued = $admin->create_user_impersonation_token($id, { name => 'robot', scopes => ['api'] });
    equal(client($issued->{token})->current_user->{id}, $id, 'who the token is');
};

scenario 'a group and a project in it' => sub {
    my $path = "harbour-$run";
    $admin->create_group({ name => $path, path => $path, visibility => 'public' });
    my $project = new_project('charts', visibility => 'public', topics => [ 'tides', 'maps' ]);
    equal($project->{path_with_namespace}, "$path/charts", 'path');
    equal($project->{topics}, [ 'maps', 'tides' ], 'topics');
    equal(project('charts')->{id}, $project->{id}, 'project by path');
    $admin->edit_project($project->{id}, { topics => ['winds'] });
    equal(project('charts')->{topics}, ['winds'], 'topics after the change');
    refused(400, 'project_namespace.name', sub { new_project('charts') });
    equal($admin->project("$path/nowhere"), undef, 'a project that is not there');
};

scenario 'a project moves and is found at its old path' => sub {
    my $harbour = $admin->group("harbour-$run");
    rest($admin, 'POST', 'groups', [], { content => { name => 'deep', path => 'deep', parent_id => $harbour->{id} } });
    my $moving = new_project('wanderer');
    rest($admin, 'PUT', 'projects/:id/transfer', [$moving->{id}], { content => { namespace => "harbour-$run/deep" } });
    equal(project('wanderer')->{path_with_namespace}, "harbour-$run/deep/wanderer", 'where it went');
    # The client shows 50 characters of the response.
    refused(405, 'Non GET methods are not', sub { $admin->edit_project("harbour-$run/wanderer", { name => 'x' }) });
    $admin->delete_project($moving->{id});
    equal(project('wanderer'), undef, 'a project that is gone');
    $admin->delete_group("harbour-$run/deep");
};

scenario 'projects are renamed, archived and starred' => sub {
    my ($id, $own) = new_user('captain');
    my $made = $own->create_project({ name => 'Our sloop' });
    $own->edit_project($made->{id}, { path => 'brig' });
    equal($own->project("captain-$run/our-sloop")->{path}, 'brig', 'the project at its old path');
    # The client calls starring `start_project`.
    $own->start_project($made->{id});
    equal($own->project($made->{id})->{star_count}, 1, 'stars');
    equal([ map { $_->{id} } @{ $own->projects({ starred => 1 }) } ], [ $made->{id} ], 'what he starred');
    $own->archive_project($made->{id});
    equal([ map { $_->{id} } @{ $own->projects({ archived => 1, owned => 1 }) } ], [ $made->{id} ], 'his archive');
    $own->unarchive_project($made->{id});
    equal([ map { $_->{id} } @{ $own->user_projects($id) } ], [ $made->{id} ], 'his projects');
};

scenario 'groups have groups and namespaces' => sub {
    my $harbour = $admin->group("harbour-$run");
    my ($id, $own) = new_user('warden');
    $admin->create_group({ name => 'Dock', path => 'dock', parent_id => $harbour->{id} });
    my $dock = $admin->group("harbour-$run/dock");
    $admin->add_group_member($harbour->{id}, { user_id => $id, access_level => 40 });
    my $boat = $own->create_project({ name => 'dinghy', namespace_id => $dock->{id}, topics => ['docked'] });
    equal([ map { $_->{id} } @{ $admin->group_subgroups($harbour->{id}) } ], [ $dock->{id} ], 'subgroups');
    my $below = $admin->group_projects($harbour->{id}, { include_subgroups => 1, topic => 'docked' });
    equal([ map { $_->{id} } @$below ], [ $boat->{id} ], 'projects below, by topic');
    equal([ map { $_->{id} } @{ $own->namespaces({ search => 'dock' }) } ], [ $dock->{id} ], 'namespaces');
    my %levels = map { $_->{id} => $_->{access_level} } @{ $own->all_project_members($boat->{id}) };
    equal($levels{$id}, 40, 'inherited level');
    $admin->delete_group($dock->{id});
};

scenario 'projects are listed by topic and page' => sub {
    my $topic = "fleet$run";
    new_project("boat-$_", topics => [ $topic, "n$_" ]) for 0 .. 4;
    my $all = $admin->paginator('projects', { topic => $topic, per_page => 2 })->all;
    equal([ map { $_->{path} } @$all ], [ map { "boat-$_" } reverse 0 .. 4 ], 'all pages');
    equal([ map { $_->{path} } @{ $admin->projects({ topic => "$topic,n3" }) } ], ['boat-3'], 'both topics');
};

scenario 'members come and go' => sub {
    my ($id, $own) = new_user('sailor');
    my $project = new_project('crew');
    equal($own->project($project->{id}), undef, 'the project before');
    my $reporter = { user_id => $id, access_level => 20 };
    equal($admin->add_project_member($project->{id}, $reporter)->{access_level}, 20, 'level');
    refused(409, 'Member already exists', sub { $admin->add_project_member($project->{id}, $reporter) });
    refused(403, '403 Forbidden', sub { $own->add_project_member($project->{id}, { %$reporter, user_id => 1 }) });
    $admin->remove_project_member($project->{id}, $id);
    equal($own->project($project->{id}), undef, 'the project afterwards');
};

scenario 'a file is uploaded, downloaded and deleted' => sub {
    my $id = project('crew')->{id};
    my $content = join('', map { chr } 0 .. 255) x 100;
    my $upload = $admin->upload_file_to_project($id, { file => written('floor plan.png', $content) });
    my ($secret, $name) = $upload->{url} =~ m{^/uploads/(\w{32})/(.+)$};
    equal($name, 'floor_plan.png', 'name');
    my $listed = rest($admin, 'GET', 'projects/:id/uploads', [$id])->[0];
    equal([ @{$listed}{qw(id size)} ], [ $upload->{id}, length $content ], 'listed');
    my @by_id = ('projects/:id/uploads/:upload', [ $id, $upload->{id} ]);
    my @by_secret = ('projects/:id/uploads/:secret/:name', [ $id, $secret, $name ]);
    die "content by id differs\n" if rest($admin, 'GET', @by_id, { decode => 0 }) ne $content;
    die "content by secret differs\n" if rest($admin, 'GET', @by_secret, { decode => 0 }) ne $content;
    rest($admin, 'DELETE', @by_secret);
    refused(404, '404 Not found', sub { rest($admin, 'DELETE', @by_id) });
};

scenario 'a topic lives, is merged and dies' => sub {
    my ($from, $into) = ("sloop$run", "yacht$run");
    my $target = rest($admin, 'POST', 'topics', [], { content => { name => $into, title => 'Yachts' } });
    my $project = new_project('merged', topics => [$from]);
    my $source = rest($admin, 'GET', 'topics', [], { query => { search => $from } })->[0];
    my $merge = { content => { source_topic_id => $source->{id}, target_topic_id => $target->{id} } };
    equal(rest($admin, 'POST', 'topics/merge', [], $merge)->{total_projects_count}, 1, 'projects of the merged topic');
    equal($admin->project($project->{id})->{topics}, [$into], 'topics of the project');
    my $changed = rest($admin, 'PUT', 'topics/:id', [ $target->{id} ], { content => { description => 'Fast ones' } });
    equal($changed->{description}, 'Fast ones', 'description');
    my (undef, $diver) = new_user('diver');
    refused(403, '403 Forbidden', sub { rest($diver, 'DELETE', 'topics/:id', [ $target->{id} ]) });
    rest($admin, 'DELETE', 'topics/:id', [ $target->{id} ]);
    equal(rest($admin, 'GET', 'topics/:id', [ $target->{id} ]), undef, 'the topic afterwards');
};

scenario 'a topic answers to other names' => sub {
    my ($name, $other) = ("knot$run", "bend$run");
    my $topic = rest($admin, 'POST', 'topics', [], { content => { name => $name, title => 'Knots' } });
    rest($admin, 'POST', 'topics/:id/aliases', [ $topic->{id} ], { content => { name => $other } });
    my $project = new_project('ropes', topics => [$other]);
    equal($project->{topics}, [$name], 'topics after assigning by alias');
    equal([ map { $_->{id} } @{ $admin->projects({ topic => $other }) } ], [ $project->{id} ], 'projects by alias');
    my $found = rest($admin, 'GET', 'topics', [], { query => { search => $other } });
    equal([ map { $_->{id} } @$found ], [ $topic->{id} ], 'search by alias');
    rest($admin, 'DELETE', 'topics/:id/aliases', [ $topic->{id} ], { query => { name => $other } });
    equal(rest($admin, 'GET', 'topics/:id/aliases', [ $topic->{id} ]), [], 'aliases left');
};

scenario 'a merge leaves the old name, and is undone' => sub {
    my ($from, $into) = ("ketch$run", "yawl$run");
    my $early = new_project('twomast', topics => [$from]);
    my $source = rest($admin, 'GET', 'topics', [], { query => { search => $from } })->[0];
    my $target = rest($admin, 'POST', 'topics', [], { content => { name => $into, title => 'Yawls' } });
    my %pair = (source_topic_id => $source->{id}, target_topic_id => $target->{id});
    my $preview = rest($admin, 'POST', 'topics/merge', [], { content => { %pair, dry_run => JSON::true } })->{preview};
    equal([ @{$preview}{qw(moved_projects_count aliases)} ], [ 1, [$from] ], 'what would move');
    rest($admin, 'POST', 'topics/merge', [], { content => \%pair });
    my $late = new_project('threemast', topics => [$from]);
    equal($late->{topics}, [$into], 'what an old script assigns');
    my $ids = [ map { $_->{id} } @{ $admin->projects({ topic => $from }) } ];
    equal($ids, [ $late->{id}, $early->{id} ], 'what it finds');
    my $merge = rest($admin, 'GET', 'topics/merges', [])->[0];
    equal(rest($admin, 'POST', 'topics/merges/:id/undo', [ $merge->{id} ])->{name}, $from, 'restored');
    equal($admin->project($early->{id})->{topics}, [$from], 'topics after the undo');
    refused(409, 'has been undone', sub { rest($admin, 'POST', 'topics/merges/:id/undo', [ $merge->{id} ]) });
};

scenario 'a finding becomes a vulnerability once' => sub {
    my $id = new_project('scanned', visibility => 'public')->{id};
    # With a file the client sends no other fields, so the report itself must name its type.
    rest($admin, 'POST', 'projects/:id/security_reports', [$id], { content => { file => $report } });
    my $findings = rest($admin, 'GET', 'projects/:id/vulnerability_findings', [$id], { query => { per_page => 100 } });
    equal([ map { $_->{severity} } @$findings ], [qw(critical medium info)], 'severities');
    my $path = 'projects/:id/vulnerabilities';
    my $first = { query => { finding_id => $findings->[0]{id} } };
    my $by_query = rest($admin, 'POST', $path, [$id], $first);
    my $by_body = rest($admin, 'POST', $path, [$id], { content => { finding_id => $findings->[1]{id} } });
    equal([ map { $_->{state} } $by_query, $by_body ], [qw(detected detected)], 'states');
    equal([ map { $_->{id} } @{ rest($admin, 'GET', $path, [$id]) } ], [ $by_query->{id}, $by_body->{id} ], 'listed');
    refused(400, 'finding is not found', sub { rest($admin, 'POST', $path, [$id], $first) });
    my (undef, $stranger) = new_user('outsider');
    refused(403, '403 Forbidden', sub { rest($stranger, 'GET', $path, [$id]) });
};

scenario 'everything is removed' => sub {
    my $id = project('crew')->{id};
    $admin->delete_project(project('charts')->{id});
    $admin->delete_group($admin->group("harbour-$run")->{id});
    equal($admin->group("harbour-$run"), undef, 'the group');
    equal($admin->project($id), undef, 'its project');
};

print "GitLab::API::v4 $GitLab::API::v4::VERSION: $passed passed, $failed failed\n";
exit($failed ? 1 : 0);
