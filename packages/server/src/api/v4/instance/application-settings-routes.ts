import Type from 'typebox'
import type { Route } from '../../../http/route.ts'
import type { RateLimit, Settings } from '../../../platform/settings/settings.ts'
import { route } from '../route.ts'

/** Values of GitLab's application settings that cannot be changed here. */
const constants = {
  id: 1,
  default_branch_name: 'main',
  default_branch_protection: 2,
  default_branch_protection_defaults: {
    allowed_to_push: [{ access_level: 40 }],
    allow_force_push: false,
    allowed_to_merge: [{ access_level: 40 }],
  },
  default_project_creation: 2,
  default_project_visibility: 'private',
  default_group_visibility: 'private',
  default_snippet_visibility: 'private',
  restricted_visibility_levels: [] as string[],
  group_owners_can_manage_default_branch_protection: true,
  can_create_group: true,
  signup_enabled: false,
  require_admin_approval_after_user_signup: true,
  password_authentication_enabled_for_git: false,
  user_default_external: false,
  gravatar_enabled: false,
  deletion_adjourned_period: 0,
}

/** GitLab's unit of sizes. */
const mib = 1024 * 1024

/** Returns the settings of this server under the names of GitLab's application settings. */
function viewApplicationSettings(settings: Settings) {
  const { authenticated, unauthenticated } = settings.rateLimits
  return {
    ...constants,
    max_attachment_size: Math.floor(settings.maxUploadBytes / mib),
    admin_mode: settings.adminMode,
    signin_enabled: settings.hasPasswords,
    password_authentication_enabled_for_web: settings.hasPasswords,
    require_two_factor_authentication: settings.requiredSecondFactor === 'everyone',
    require_admin_two_factor_authentication: settings.requiredSecondFactor !== 'off',
    allow_local_requests_from_web_hooks_and_services: settings.webhooksReachPrivate,
    session_expire_delay: Math.floor(settings.sessionIdleMs / 60_000),
    ...viewLimit('authenticated', authenticated),
    ...viewLimit('unauthenticated', unauthenticated),
  }
}

const viewLimit = <Name extends string>(name: Name, limit: RateLimit | undefined) => ({
  [`throttle_${name}_api_enabled`]: limit !== undefined,
  [`throttle_${name}_api_requests_per_period`]: limit?.requests ?? 0,
  [`throttle_${name}_api_period_in_seconds`]: limit?.periodSeconds ?? 0,
})

const limitView = (name: string) => ({
  [`throttle_${name}_api_enabled`]: Type.Boolean(),
  [`throttle_${name}_api_requests_per_period`]: Type.Integer(),
  [`throttle_${name}_api_period_in_seconds`]: Type.Integer(),
})

const accessLevels = Type.Array(Type.Object({ access_level: Type.Integer() }))

const applicationSettingsView = Type.Object(
  {
    id: Type.Integer(),
    default_branch_name: Type.String(),
    default_branch_protection: Type.Integer(),
    default_branch_protection_defaults: Type.Object({
      allowed_to_push: accessLevels,
      allow_force_push: Type.Boolean(),
      allowed_to_merge: accessLevels,
    }),
    default_project_creation: Type.Integer(),
    default_project_visibility: Type.String(),
    default_group_visibility: Type.String(),
    default_snippet_visibility: Type.String(),
    restricted_visibility_levels: Type.Array(Type.String()),
    group_owners_can_manage_default_branch_protection: Type.Boolean(),
    can_create_group: Type.Boolean(),
    signup_enabled: Type.Boolean(),
    require_admin_approval_after_user_signup: Type.Boolean(),
    password_authentication_enabled_for_git: Type.Boolean(),
    user_default_external: Type.Boolean(),
    gravatar_enabled: Type.Boolean(),
    deletion_adjourned_period: Type.Integer({
      description: 'Days until a deletion; 0, because deletions are immediate',
    }),
    max_attachment_size: Type.Integer({ description: 'Maximum size of an upload in MiB' }),
    admin_mode: Type.Boolean(),
    signin_enabled: Type.Boolean(),
    password_authentication_enabled_for_web: Type.Boolean(),
    require_two_factor_authentication: Type.Boolean(),
    require_admin_two_factor_authentication: Type.Boolean(),
    allow_local_requests_from_web_hooks_and_services: Type.Boolean(),
    session_expire_delay: Type.Integer({ description: 'Minutes' }),
    ...limitView('authenticated'),
    ...limitView('unauthenticated'),
  },
  { title: 'ApplicationSettings' },
)

export const applicationSettingsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/application/settings',
    summary: "Get the settings of the server under GitLab's names, which only environment variables change",
    permission: 'setting.read',
    status: 200,
    output: applicationSettingsView,
    handle: async ({ deps }) => viewApplicationSettings(deps.settings),
  }),
]
