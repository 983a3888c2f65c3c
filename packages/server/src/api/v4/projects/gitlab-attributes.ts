import Type, { type TSchema } from 'typebox'
import type { GitlabAttributes, GitlabValue } from '../../../domain/projects/gitlab-attribute.ts'
import { flag, freeForm, integer, nullable, oneOf, optional, text, textList } from '../../../http/params/input.ts'
import { readBranchProtection, readExpirationPolicy, withoutCredentials } from './structured-attributes.ts'

/** An attribute of GitLab that has no effect here. It is validated, stored and returned unchanged. */
interface Attribute {
  input: TSchema
  output: object
  /** Name of the parameter, if it is not that of the response. */
  parameter?: string
  /** Validates and converts the value further. */
  read?: (value: never) => GitlabValue
}

export type Attributes = Readonly<Record<string, Attribute>>

export const flagAttribute: Attribute = { input: flag(), output: { type: 'boolean' } }
const maybe: Attribute = { input: nullable(flag()), output: { type: ['boolean', 'null'] } }
export const integerAttribute: Attribute = { input: integer(), output: { type: 'integer' } }
export const textAttribute: Attribute = { input: nullable(text()), output: { type: ['string', 'null'] } }
const list: Attribute = { input: textList(), output: { type: 'array', items: { type: 'string' } } }
const structure = { input: freeForm(), output: { type: 'object', additionalProperties: true } }
const among = (...values: readonly string[]): Attribute => ({ input: oneOf(values), output: { type: 'string' } })

export const each = (names: readonly string[], attribute: Attribute): Attributes =>
  Object.fromEntries(names.map((name) => [name, attribute]))

const accessLevels = ['disabled', 'private', 'enabled']
const openAccessLevels = [...accessLevels, 'public']

/** Attributes of repositories, issues and pipelines, which do not exist here: disabled until a client sets them. */
export const projectExtras: Attributes = {
  ...each(
    [
      'resolve_outdated_diff_discussions',
      'issues_enabled',
      'merge_requests_enabled',
      'wiki_enabled',
      'jobs_enabled',
      'snippets_enabled',
      'container_registry_enabled',
      'service_desk_enabled',
      'show_diff_preview_in_email',
      'shared_runners_enabled',
      'lfs_enabled',
      'packages_enabled',
      'public_jobs',
      'public_builds',
      'emails_enabled',
      'only_allow_merge_if_pipeline_succeeds',
      'allow_merge_on_skipped_pipeline',
      'only_allow_merge_if_all_discussions_are_resolved',
      'request_access_enabled',
    ],
    flagAttribute,
  ),
  ...each(
    [
      'emails_disabled',
      'printing_merge_request_link_enabled',
      'remove_source_branch_after_merge',
      'autoclose_referenced_issues',
    ],
    flagAttribute,
  ),
  ...each(
    [
      'issues_access_level',
      'repository_access_level',
      'merge_requests_access_level',
      'forking_access_level',
      'wiki_access_level',
      'builds_access_level',
      'snippets_access_level',
      'analytics_access_level',
      'container_registry_access_level',
      'releases_access_level',
      'environments_access_level',
      'feature_flags_access_level',
      'infrastructure_access_level',
      'monitor_access_level',
      'model_experiments_access_level',
      'model_registry_access_level',
    ],
    among(...accessLevels),
  ),
  ...each(
    ['pages_access_level', 'package_registry_access_level', 'requirements_access_level'],
    among(...openAccessLevels),
  ),
  security_and_compliance_access_level: among(...accessLevels),
  merge_method: among('merge', 'rebase_merge', 'ff'),
  squash_option: among('never', 'always', 'default_on', 'default_off'),
  ...each(
    [
      'allow_pipeline_trigger_approve_deployment',
      'auto_devops_enabled',
      'ci_allow_fork_pipelines_to_run_in_parent_project',
      'ci_forward_deployment_enabled',
      'ci_forward_deployment_rollback_allowed',
      'ci_push_repository_for_job_token_allowed',
      'ci_separated_caches',
      'group_runners_enabled',
      'keep_latest_artifact',
      'merge_pipelines_enabled',
      'merge_trains_enabled',
      'merge_trains_skip_train_allowed',
      'mr_default_target_self',
      'only_allow_merge_if_all_status_checks_passed',
      'prevent_merge_without_jira_issue',
      'restrict_user_defined_variables',
      'show_default_award_emojis',
      'warn_about_potentially_unwanted_characters',
      'auto_duo_code_review_enabled',
      'ci_display_pipeline_variables',
      'mirror',
      'mirror_overwrites_diverged_branches',
      'mirror_trigger_builds',
      'only_mirror_protected_branches',
      'pre_receive_secret_detection_enabled',
      'protect_merge_request_pipelines',
    ],
    flagAttribute,
  ),
  ...each(
    [
      'approvals_before_merge',
      'build_timeout',
      'ci_default_git_depth',
      'ci_delete_pipelines_in_seconds',
      'max_artifacts_size',
      'mirror_user_id',
    ],
    integerAttribute,
  ),
  ...each(
    [
      'ci_config_path',
      'external_authorization_classification_label',
      'issue_branch_template',
      'issues_template',
      'merge_commit_template',
      'merge_requests_template',
      'squash_commit_template',
      'suggestion_commit_message',
      'build_coverage_regex',
      'merge_request_title_regex',
      'merge_request_title_regex_description',
      'mirror_branch_regex',
      'repository_storage',
    ],
    textAttribute,
  ),
  import_url: { ...textAttribute, read: withoutCredentials },
  operations_access_level: among(...accessLevels),
  ci_id_token_sub_claim_components: list,
  ci_pipeline_variables_minimum_override_role: among('developer', 'maintainer', 'owner', 'no_one_allowed'),
  resource_group_default_process_mode: among('unordered', 'oldest_first', 'newest_first', 'newest_ready_first'),
  container_expiration_policy: {
    ...structure,
    parameter: 'container_expiration_policy_attributes',
    read: readExpirationPolicy,
  },
  auto_cancel_pending_pipelines: among('disabled', 'enabled'),
  auto_devops_deploy_strategy: among('continuous', 'manual', 'timed_incremental'),
  build_git_strategy: among('fetch', 'clone'),
  ci_restrict_pipeline_cancellation_role: among('developer', 'maintainer', 'no_one'),
}

export const groupExtras: Attributes = {
  ...each(
    [
      'share_with_group_lock',
      'require_two_factor_authentication',
      'emails_enabled',
      'lfs_enabled',
      'request_access_enabled',
    ],
    flagAttribute,
  ),
  emails_disabled: flagAttribute,
  two_factor_grace_period: integerAttribute,
  project_creation_level: among('noone', 'owner', 'maintainer', 'developer', 'administrator'),
  subgroup_creation_level: among('owner', 'maintainer'),
  auto_devops_enabled: maybe,
  mentions_disabled: maybe,
  default_branch: textAttribute,
  default_branch_protection: integerAttribute,
  shared_runners_setting: among(
    'enabled',
    'disabled_and_overridable',
    'disabled_with_override',
    'disabled_and_unoverridable',
  ),
  ...each(
    [
      'membership_lock',
      'prevent_forking_outside_group',
      'prevent_sharing_groups_outside_hierarchy',
      'allow_merge_on_skipped_pipeline',
      'allow_personal_snippets',
      'auto_ban_user_on_excessive_projects_download',
      'duo_features_enabled',
      'experiment_features_enabled',
      'lock_duo_features_enabled',
      'lock_math_rendering_limits_enabled',
      'math_rendering_limits_enabled',
      'only_allow_merge_if_all_discussions_are_resolved',
      'only_allow_merge_if_pipeline_succeeds',
      'service_access_tokens_expiration_enforced',
      'web_based_commit_signing_enabled',
    ],
    flagAttribute,
  ),
  ...each(
    [
      'extra_shared_runners_minutes_limit',
      'file_template_project_id',
      'max_artifacts_size',
      'shared_runners_minutes_limit',
      'unique_project_download_limit',
      'unique_project_download_limit_interval_in_seconds',
    ],
    integerAttribute,
  ),
  unique_project_download_limit_allowlist: list,
  duo_availability: among('default_on', 'default_off', 'never_on'),
  default_branch_protection_defaults: { ...structure, read: readBranchProtection },
  ...each(['ip_restriction_ranges', 'allowed_email_domains_list'], textAttribute),
  enabled_git_access_protocol: among('ssh', 'http', 'all'),
  wiki_access_level: among(...accessLevels),
}

/**
 * Events of GitLab, in two groups because GitLab's response lists them in two places. All but
 * `resource_access_token_events` never occur here.
 */
export const firstEvents = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
] as const
export const otherEvents = [
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'feature_flag_events',
  'job_events',
  'releases_events',
  'milestone_events',
  'emoji_events',
  'resource_access_token_events',
  'resource_deploy_token_events',
] as const

const templates: Attributes = {
  push_events_branch_filter: textAttribute,
  branch_filter_strategy: among('wildcard', 'regex', 'all_branches'),
  custom_webhook_template: textAttribute,
}

export const hookExtras: Attributes = {
  ...each(
    [...firstEvents, ...otherEvents].filter((name) => name !== 'resource_access_token_events'),
    flagAttribute,
  ),
  ...templates,
}

/** Events of groups, which never occur here. */
export const groupEvents = ['subgroup_events', 'project_events'] as const

export const groupHookExtras: Attributes = { ...hookExtras, ...each([...groupEvents], flagAttribute) }

export const instanceHookExtras: Attributes = { ...each([...firstEvents], flagAttribute), ...templates }

const stored = { description: 'Stored, no effect' }

/** Returns the attributes as optional input parameters of a route. */
export function inputsOf(attributes: Attributes): Undeclared {
  const inputs = Object.entries(attributes).map(([name, { input, parameter = name }]) => [
    parameter,
    optional(Type.Unsafe({ ...input, ...stored })),
  ])
  return Object.fromEntries(inputs)
}

/** Returns the response schemas. Attributes in `declared` are always in the response, the others only once set. */
export function outputsOf(attributes: Attributes, declared: object): Undeclared {
  const schemas = Object.entries(attributes).map(([name, { output }]) => {
    const schema = Type.Unsafe({ ...output, ...stored })
    return [name, Object.hasOwn(declared, name) ? schema : Type.Optional(schema)] as const
  })
  return Object.fromEntries(schemas)
}

/** Handlers read these parameters through `attributesFrom`, so the types do not name them. */
type Undeclared = Record<never, TSchema>

/** Returns the attributes that the client set, with the attributes that GitLab derives from them. */
export function attributesFrom(attributes: Attributes, input: object): GitlabAttributes {
  const values = input as Readonly<Record<string, GitlabValue>> // parameters other than the attributes are not read
  const given: Record<string, GitlabValue> = {}
  for (const [name, { parameter = name, read }] of Object.entries(attributes)) {
    const value = values[parameter]
    if (value !== undefined) given[name] = read ? read(value as never) : value // of the type of its own parameter
  }
  for (const [flagName, levelName] of twins) {
    if (!Object.hasOwn(attributes, flagName)) continue
    const [isOn, level] = [given[flagName], given[levelName]]
    if (level !== undefined) given[flagName] = level !== 'disabled'
    else if (isOn !== undefined) given[levelName] = isOn ? 'enabled' : 'disabled'
  }
  const { emails_enabled: on, emails_disabled: off, public_jobs: jobs, public_builds: builds } = given
  if (on !== undefined) given['emails_disabled'] = !on
  else if (off !== undefined) given['emails_enabled'] = !off
  if (jobs !== undefined) given['public_builds'] = jobs
  else if (builds !== undefined) given['public_jobs'] = builds
  return given
}

/** Pairs of a deprecated attribute and the access level that replaced it. */
const twins = [
  ['issues_enabled', 'issues_access_level'],
  ['merge_requests_enabled', 'merge_requests_access_level'],
  ['wiki_enabled', 'wiki_access_level'],
  ['jobs_enabled', 'builds_access_level'],
  ['snippets_enabled', 'snippets_access_level'],
  ['container_registry_enabled', 'container_registry_access_level'],
  ['packages_enabled', 'package_registry_access_level'],
] as const
