/**
 * Purpose of a call: `create` and `update` send attributes, `read`, `plan` and `import` compare the answer with what was sent,
 * `transfer` moves to another group, `rotate` continues with the new token, after `state` the state is read, the others have a
 * status only.
 */
type Purpose =
  | 'create'
  | 'read'
  | 'plan'
  | 'transfer'
  | 'update'
  | 'import'
  | 'rotate'
  | 'state'
  | 'status'
  | 'destroy'
  | 'gone'

/** Purpose, request, status of the answer, and the section of GitLab's documentation that defines both. */
type TerraformCall = readonly [purpose: Purpose, request: string, status: number, source: string]

/**
 * Calls of the Terraform provider of GitLab for each resource, in order. `:id` is the created resource. The calls are those
 * of resource_gitlab_<resource>.go (gitlabhq/terraform-provider-gitlab at e513f39d^), the pages those that
 * docs/resources/<resource>.md names as upstream API at 8b7bb7ac (19.1.0), the sections those of go-gitlab at 68add03. All
 * are below https://docs.gitlab.com/api/.
 */
export const terraformCalls: Readonly<Record<string, readonly TerraformCall[]>> = {
  gitlab_project: [
    ['create', 'POST /projects', 201, 'projects#create-project'],
    ['status', 'GET /projects/:id/repository/branches/main', 404, 'branches#get-single-repository-branch'],
    ['read', 'GET /projects/:id', 200, 'projects#get-single-project'],
    ['status', 'GET /projects/:id/push_rule', 404, 'projects#get-project-push-rules'],
    ['status', 'GET /application/settings', 200, 'settings#get-current-application-settings'],
    ['plan', 'GET /projects/:id', 200, 'projects#get-single-project'],
    ['transfer', 'PUT /projects/:id/transfer', 200, 'projects#transfer-a-project-to-a-new-namespace'],
    ['update', 'PUT /projects/:id', 200, 'projects#edit-project'],
    ['read', 'GET /projects/:id', 200, 'projects#get-single-project'],
    ['state', 'POST /projects/:id/archive', 201, 'projects#archive-a-project'],
    ['state', 'POST /projects/:id/unarchive', 201, 'projects#unarchive-a-project'],
    ['import', 'GET /projects/:id', 200, 'projects#get-single-project'],
    ['destroy', 'DELETE /projects/:id', 202, 'projects#delete-project'],
    ['gone', 'GET /projects/:id', 404, 'projects#get-single-project'],
    ['gone', 'DELETE /projects/:id', 404, 'projects#delete-project'],
  ],
  gitlab_group: [
    ['create', 'POST /groups', 201, 'groups#new-group'],
    ['read', 'GET /groups/:id', 200, 'groups#details-of-a-group'],
    ['plan', 'GET /groups/:id', 200, 'groups#details-of-a-group'],
    [
      'transfer',
      'POST /groups/:id/transfer',
      201,
      'groups#transfer-a-group-to-a-new-parent-group--turn-a-subgroup-to-a-top-level-group',
    ],
    ['update', 'PUT /groups/:id', 200, 'groups#update-group'],
    ['read', 'GET /groups/:id', 200, 'groups#details-of-a-group'],
    ['import', 'GET /groups/:id', 200, 'groups#details-of-a-group'],
    ['destroy', 'DELETE /groups/:id', 202, 'groups#remove-group'],
    ['gone', 'GET /groups/:id', 404, 'groups#details-of-a-group'],
    ['gone', 'DELETE /groups/:id', 404, 'groups#remove-group'],
  ],
  gitlab_topic: [
    ['create', 'POST /topics', 201, 'topics#create-a-project-topic'],
    ['read', 'GET /topics/:id', 200, 'topics#get-a-topic'],
    ['plan', 'GET /topics/:id', 200, 'topics#get-a-topic'],
    ['update', 'PUT /topics/:id', 200, 'topics#update-a-project-topic'],
    ['read', 'GET /topics/:id', 200, 'topics#get-a-topic'],
    ['import', 'GET /topics/:id', 200, 'topics#get-a-topic'],
    ['destroy', 'DELETE /topics/:id', 204, 'topics#delete-a-project-topic'],
    ['gone', 'GET /topics/:id', 404, 'topics#get-a-topic'],
    ['gone', 'DELETE /topics/:id', 404, 'topics#delete-a-project-topic'],
  ],
  gitlab_user: [
    ['create', 'POST /users', 201, 'users#user-creation'],
    ['read', 'GET /users/:id', 200, 'users#single-user'],
    ['plan', 'GET /users/:id', 200, 'users#single-user'],
    ['update', 'PUT /users/:id', 200, 'users#user-modification'],
    ['read', 'GET /users/:id', 200, 'users#single-user'],
    ['state', 'POST /users/:id/block', 201, 'users#block-user'],
    ['state', 'POST /users/:id/unblock', 201, 'users#unblock-user'],
    ['state', 'POST /users/:id/deactivate', 201, 'users#deactivate-user'],
    ['state', 'POST /users/:id/activate', 201, 'users#activate-user'],
    ['import', 'GET /users/:id', 200, 'users#single-user'],
    ['destroy', 'DELETE /users/:id', 204, 'users#user-deletion'],
    ['gone', 'GET /users/:id', 404, 'users#single-user'],
    ['gone', 'DELETE /users/:id', 404, 'users#user-deletion'],
  ],
  gitlab_project_membership: memberships('/projects/:project'),
  gitlab_group_membership: memberships('/groups/:group'),
  gitlab_project_hook: [
    ['create', 'POST /projects/:project/hooks', 201, 'project_webhooks#add-project-hook'],
    ['read', 'GET /projects/:project/hooks/:id', 200, 'project_webhooks#get-project-hook'],
    ['plan', 'GET /projects/:project/hooks/:id', 200, 'project_webhooks#get-project-hook'],
    ['update', 'PUT /projects/:project/hooks/:id', 200, 'project_webhooks#edit-project-hook'],
    ['read', 'GET /projects/:project/hooks/:id', 200, 'project_webhooks#get-project-hook'],
    ['import', 'GET /projects/:project/hooks/:id', 200, 'project_webhooks#get-project-hook'],
    ['destroy', 'DELETE /projects/:project/hooks/:id', 204, 'project_webhooks#delete-project-hook'],
    ['gone', 'GET /projects/:project/hooks/:id', 404, 'project_webhooks#get-project-hook'],
    ['gone', 'DELETE /projects/:project/hooks/:id', 404, 'project_webhooks#delete-project-hook'],
  ],
  gitlab_group_hook: [
    ['create', 'POST /groups/:group/hooks', 201, 'group_webhooks#add-group-hook'],
    ['read', 'GET /groups/:group/hooks/:id', 200, 'group_webhooks#get-group-hook'],
    ['plan', 'GET /groups/:group/hooks/:id', 200, 'group_webhooks#get-group-hook'],
    ['update', 'PUT /groups/:group/hooks/:id', 200, 'group_webhooks#edit-group-hook'],
    ['read', 'GET /groups/:group/hooks/:id', 200, 'group_webhooks#get-group-hook'],
    ['import', 'GET /groups/:group/hooks/:id', 200, 'group_webhooks#get-group-hook'],
    ['destroy', 'DELETE /groups/:group/hooks/:id', 204, 'group_webhooks#delete-group-hook'],
    ['gone', 'GET /groups/:group/hooks/:id', 404, 'group_webhooks#get-group-hook'],
    ['gone', 'DELETE /groups/:group/hooks/:id', 404, 'group_webhooks#delete-group-hook'],
  ],
  gitlab_personal_access_token: [
    ['create', 'POST /users/:user/personal_access_tokens', 201, 'users#create-a-personal-access-token'],
    ['read', 'GET /personal_access_tokens/:id', 200, 'personal_access_tokens#using-a-personal-access-token-id'],
    ['plan', 'GET /personal_access_tokens/:id', 200, 'personal_access_tokens#using-a-personal-access-token-id'],
    ['import', 'GET /personal_access_tokens/:id', 200, 'personal_access_tokens#using-a-personal-access-token-id'],
    ['rotate', 'POST /personal_access_tokens/:id/rotate', 200, 'personal_access_tokens#use-a-personal-access-token-id'],
    ['destroy', 'DELETE /personal_access_tokens/:id', 204, 'personal_access_tokens#using-a-personal-access-token-id-1'],
  ],
  gitlab_project_access_token: accessTokens('/projects/:project', 'project_access_tokens', 'project'),
  gitlab_group_access_token: accessTokens('/groups/:group', 'group_access_tokens', 'group'),
}

function memberships(base: string): readonly TerraformCall[] {
  const [page, one] = ['members', `${base}/members/:id`]
  return [
    ['create', `POST ${base}/members`, 201, `${page}#add-a-member-to-a-group-or-project`],
    ['read', `GET ${one}`, 200, `${page}#get-a-member-of-a-group-or-project`],
    ['plan', `GET ${one}`, 200, `${page}#get-a-member-of-a-group-or-project`],
    ['update', `PUT ${one}`, 200, `${page}#edit-a-member-of-a-group-or-project`],
    ['read', `GET ${one}`, 200, `${page}#get-a-member-of-a-group-or-project`],
    ['import', `GET ${one}`, 200, `${page}#get-a-member-of-a-group-or-project`],
    [
      'destroy',
      `DELETE ${one}?skip_subresources=false&unassign_issuables=false`,
      204,
      `${page}#remove-a-member-from-a-group-or-project`,
    ],
    ['gone', `GET ${one}`, 404, `${page}#get-a-member-of-a-group-or-project`],
    ['gone', `DELETE ${one}`, 404, `${page}#remove-a-member-from-a-group-or-project`],
  ]
}

function accessTokens(base: string, page: string, noun: string): readonly TerraformCall[] {
  const one = `${base}/access_tokens/:id`
  return [
    ['create', `POST ${base}/access_tokens`, 201, `${page}#create-a-${noun}-access-token`],
    ['read', `GET ${one}`, 200, `${page}#get-a-${noun}-access-token`],
    ['plan', `GET ${one}`, 200, `${page}#get-a-${noun}-access-token`],
    ['import', `GET ${one}`, 200, `${page}#get-a-${noun}-access-token`],
    ['rotate', `POST ${one}/rotate`, 200, `${page}#rotate-a-${noun}-access-token`],
    ['destroy', `DELETE ${one}`, 204, `${page}#revoke-a-${noun}-access-token`],
  ]
}
