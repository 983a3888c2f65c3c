import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import { roles } from '../../../domain/access/roles.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { mustSetUpSecondFactor } from '../../../domain/second-factors/requirement.ts'
import { findUnseenSignIns, type NewSignIn } from '../../../domain/sign-in/new-sign-ins.ts'
import { canRequestPasswordLink } from '../../../domain/sign-in/passwords/password-requests.ts'
import { isSignedInByPassword } from '../../../domain/sign-in/sessions.ts'
import { defaultDisplay } from '../../../domain/users/display-setting.ts'
import { getDisplaySettings } from '../../../domain/users/display-settings.ts'
import { version } from '../../../platform/version.ts'
import { displaySettingsView, viewDisplaySettings } from '../display-settings/views.ts'
import { currentUserView, viewCurrentUser } from '../users/views.ts'
import { nullableString, timestamp } from '../views.ts'

const dayMs = 24 * 60 * 60 * 1000

export const newSignInView = Type.Object({
  id: Type.Integer(),
  created_at: timestamp,
  address: nullableString,
  user_agent: nullableString,
  is_signed_in: Type.Boolean({ description: 'True while the session has not ended' }),
})

export function viewNewSignIn({ id, createdAt, address, userAgent, sessionId }: NewSignIn) {
  return { id, created_at: createdAt, address, user_agent: userAgent, is_signed_in: sessionId !== null }
}

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
    sends_mail: Type.Boolean({ description: 'True if the server sends e-mail' }),
    can_request_password_link: Type.Boolean({
      description: 'True if users who have forgotten their password can request a link by e-mail',
    }),
    providers: Type.Array(Type.Object({ key: Type.String(), name: Type.String() }), {
      description: 'The identity providers that users can sign in with',
    }),
    scopes: Type.Array(Type.String()),
    display: displaySettingsView,
    new_sign_ins: Type.Array(newSignInView, {
      description: 'The newest sign-ins from new browsers, other than this one, that the user has not dismissed',
    }),
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

export async function viewSessionState(deps: RootDeps, caller: Caller | null, origin: string) {
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
    sends_mail: settings.mail !== undefined,
    can_request_password_link: canRequestPasswordLink(settings),
    providers: settings.oidc.providers.map(({ key, name }) => ({ key, name })),
    scopes: [...(caller?.token.scopes ?? [])],
    display: viewDisplaySettings(caller ? await getDisplaySettings(deps, caller.user.id) : defaultDisplay),
    new_sign_ins: caller ? (await findUnseenSignIns(deps, caller)).map(viewNewSignIn) : [],
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
