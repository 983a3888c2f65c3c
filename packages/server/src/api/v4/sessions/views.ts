import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import { roles } from '../../../domain/access/roles.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { mustSetUpSecondFactor } from '../../../domain/second-factors/requirement.ts'
import { isSignedInByPassword } from '../../../domain/sign-in/sessions.ts'
import { version } from '../../../platform/version.ts'
import { currentUserView, viewCurrentUser } from '../users/views.ts'

const dayMs = 24 * 60 * 60 * 1000

/** State that the web UI loads first: the current user, their rights and the limits of this server. */
export const sessionStateView = Type.Object(
  {
    user: Type.Union([currentUserView, Type.Null()]),
    is_admin: Type.Boolean({ description: 'True if this session currently has administrator access' }),
    is_administrator: Type.Boolean({
      description: 'True for administrators, whether or not they have entered admin mode',
    }),
    must_set_up_second_factor: Type.Boolean({
      description: 'True if this session can only be used to set up two-factor authentication',
    }),
    has_password: Type.Boolean({ description: 'True if the session was started with a password' }),
    signed_in_with: Type.Union([Type.String(), Type.Null()], {
      description: 'What the session was started with: `password`, `passkey`, `token`, `provider` or `link`',
    }),
    provider: Type.Union([Type.String(), Type.Null()], {
      description: 'The identity provider that the session was started with',
    }),
    passwords: Type.Boolean({ description: 'True if users can sign in with a password' }),
    providers: Type.Array(Type.Object({ key: Type.String(), name: Type.String() }), {
      description: 'The identity providers that users can sign in with',
    }),
    scopes: Type.Array(Type.String()),
    admin_mode: Type.Boolean({
      description: 'True if administrators must enter admin mode before they can use administrator access',
    }),
    version: Type.String(),
    triage_access_level: Type.Integer({ description: 'Minimum access level to triage vulnerabilities' }),
    topic_creation: Type.String(),
    topic_undo_days: Type.Number(),
    max_upload_bytes: Type.Integer(),
    max_report_bytes: Type.Integer(),
    upload_grace_days: Type.Number({ description: 'Number of days during which a deleted upload can be restored' }),
  },
  { title: 'SessionState' },
)

export function viewSessionState(deps: RootDeps, caller: Caller | null, origin: string) {
  const { settings } = deps
  return {
    user: caller && viewCurrentUser(caller.user, origin),
    is_admin: caller?.isAdmin === true,
    is_administrator: caller?.user.isAdmin === true,
    must_set_up_second_factor: caller !== null && mustSetUpSecondFactor(deps, caller),
    has_password: caller !== null && isSignedInByPassword(caller),
    signed_in_with: caller?.token.method ?? null,
    provider: caller?.token.provider ?? null,
    passwords: settings.hasPasswords,
    providers: settings.oidc.providers.map(({ key, name }) => ({ key, name })),
    scopes: [...(caller?.token.scopes ?? [])],
    admin_mode: settings.adminMode,
    version,
    triage_access_level: roles[settings.triageRole],
    topic_creation: settings.topicCreation,
    topic_undo_days: settings.topicUndoMs / dayMs,
    max_upload_bytes: settings.maxUploadBytes,
    max_report_bytes: settings.maxReportBytes,
    upload_grace_days: settings.uploadGraceMs / dayMs,
  }
}
