import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import { withAvatar } from '../../../domain/avatars/avatars.ts'
import { customAttributeFilter } from '../../../domain/custom-attributes/custom-attributes.ts'
import type { Deps, RootDeps } from '../../../domain/deps.ts'
import { changeAccount, createAccount, createAccountAndSendLink } from '../../../domain/projects/accounts.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { readAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import { removeUser } from '../../../domain/removal/remove.ts'
import { banUserWithWork, blockUserWithWork, deactivateUserWithWork } from '../../../domain/removal/shut-out.ts'
import { disableTwoFactor } from '../../../domain/second-factors/second-factors.ts'
import { assertRecentlyAuthenticated } from '../../../domain/sign-in/reauthentication.ts'
import { assertUnmodified } from '../../../domain/unmodified.ts'
import type { User, UserOrder } from '../../../domain/users/user.ts'
import { activateUser, unbanUser, unblockUser } from '../../../domain/users/user-states.ts'
import { findUsers, getUser, readAccounts, readUser, userOrderFor } from '../../../domain/users/users.ts'
import { blankableImage, dateTime, flag, integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { cursorFields, nextOf, readKeyset } from '../../../http/response/keyset.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { anyFile } from '../avatars/any-file.ts'
import { addCustomAttributes, customAttributeFilters, withCustomAttributes } from '../custom-attributes/views.ts'
import { attributesFrom, inputsOf } from '../projects/gitlab-attributes.ts'
import { route } from '../route.ts'
import { userExtras } from './gitlab-attributes.ts'
import {
  accountView,
  currentUserView,
  listedUserView,
  userView,
  viewAccount,
  viewBasicUser,
  viewCurrentUser,
  viewUser,
} from './views.ts'

const optionalAttributes = {
  admin: optional(flag()),
  can_create_group: optional(flag()),
  external: optional(flag()),
  projects_limit: optional(integer()),
  note: optional(nullable(text())),
  avatar: optional(blankableImage),
  ...inputsOf(userExtras),
  extern_uid: optional(
    text({ description: 'No effect: an identity is linked at the first sign-in with its provider' }),
  ),
  provider: optional(text({ description: 'No effect, as `extern_uid`' })),
}

const wantsNoPassword = {
  reset_password: optional(
    flag({ description: 'Create the account without a password, and send a link to set one by e-mail' }),
  ),
  force_random_password: optional(flag({ description: 'Create the account without a password' })),
}

export const userRoutes: readonly Route[] = [
  ownProfile({ path: '/user', summary: 'Get the current user' }),
  ownProfile({
    path: '/api/v3/user',
    outside: true,
    summary: 'Get the current user (the only remaining endpoint of API v3)',
  }),
  route({
    method: 'GET',
    path: '/users',
    summary: 'List users, newest first',
    permission: 'user.list',
    input: Type.Object({
      username: optional(text({ description: 'Exact username, case-insensitive' })),
      search: optional(
        text({ description: 'Matches name and username; for administrators also the exact email address' }),
      ),
      active: optional(flag()),
      blocked: optional(flag()),
      banned: optional(flag()),
      deactivated: optional(flag()),
      external: optional(flag({ description: 'Administrators only' })),
      two_factor: optional(oneOf(['enabled', 'disabled'], { description: 'Administrators only' })),
      admins: optional(flag({ description: 'Administrators only' })),
      exclude_active: optional(flag()),
      humans: optional(flag({ description: 'Exclude the bots of projects and groups' })),
      exclude_humans: optional(flag({ description: 'Only the bots of projects and groups' })),
      without_project_bots: optional(flag({ description: 'Same as `humans`' })),
      exclude_external: optional(flag({ description: 'Administrators only' })),
      created_after: optional(dateTime({ description: 'Administrators only' })),
      created_before: optional(dateTime({ description: 'Administrators only' })),
      order_by: oneOf(['id', 'name', 'username', 'created_at', 'updated_at'], {
        default: 'id',
        description: 'Administrators only',
      }),
      sort: oneOf(['asc', 'desc'], { default: 'desc', description: 'Administrators only' }),
      ...customAttributeFilters,
      ...cursorFields,
    }),
    status: 200,
    output: Type.Array(listedUserView),
    paged: true,
    cacheTables: ['custom_attributes', 'namespaces', 'users'],
    isPerCaller: true,
    async handle({ deps, caller, input, page, origin }) {
      const query = {
        ...input,
        excludeActive: input.exclude_active,
        excludeExternal: input.exclude_external,
        hasSecondFactor: input.two_factor && input.two_factor === 'enabled',
        customAttributes: customAttributeFilter(caller?.isAdmin === true, input.custom_attributes),
        isBot: input.humans || input.without_project_bots ? false : input.exclude_humans || undefined,
        createdAfter: input.created_after,
        createdBefore: input.created_before,
      }
      const order = userOrderFor(caller, { by: input.order_by, direction: input.sort })
      const asked = readKeyset({ ...input, order_by: order.by }, page)
      const found = await findUsers(deps, caller, query, { order, page: asked })
      const end = nextOf(asked, found, (user) => ({ value: keyOf(user, order.by), id: user.id })) ?? found
      if (!caller?.isAdmin) return { ...end, rows: found.rows.map((user) => viewBasicUser(user, origin)) }
      const accounts = await readAccounts(deps, found.rows)
      const attributes = await readAttributes(deps, 'users', idsOf(accounts))
      const rows = accounts.map((account) => viewAccount(account, origin, attributes.get(account.id)))
      return { ...end, rows: await addCustomAttributes(deps, 'users', rows, input.with_custom_attributes === true) }
    },
  }),
  route({
    method: 'GET',
    path: '/users/:id',
    rateLimit: { user: { requests: 300, periodSeconds: 10 * 60 }, exemptsAdmins: true },
    summary: 'Get a user',
    permission: 'user.read',
    input: Type.Object({ id: integer(), ...withCustomAttributes }),
    status: 200,
    output: userView,
    cacheTables: ['custom_attributes', 'namespaces', 'users'],
    isPerCaller: true,
    async handle({ deps, caller, input, origin }) {
      const user = await readUser(deps, caller, input.id)
      if (caller?.isAdmin) {
        const shown = await describe(deps, user, origin)
        const isWanted = input.with_custom_attributes === true
        const [view = shown] = await addCustomAttributes(deps, 'users', [shown], isWanted)
        return view
      }
      return viewUser(user, origin, await attributesOf(deps, user))
    },
  }),
  route({
    method: 'POST',
    path: '/users',
    summary: 'Create a user',
    permission: 'user.manage',
    input: Type.Object(
      {
        email: text(),
        password: optional(text({ description: '8 to 128 characters' })),
        ...wantsNoPassword,
        skip_confirmation: optional(flag({ description: 'No effect: accounts are always confirmed immediately' })),
        name: text(),
        username: text(),
        ...optionalAttributes,
      },
      { atLeastOneOf: [['password', 'reset_password', 'force_random_password']] },
    ),
    status: 201,
    output: accountView,
    fileLimit: ({ settings }) => anyFile(settings),
    audit: { event: 'user.created', fields: ['admin', 'external'] },
    async handle({ deps, caller, input, origin }) {
      const { email, name, username } = input
      const password = isWithoutPassword(input) ? undefined : (input.password ?? '')
      const draft = { email, name, username, password, ...settingsFrom(input) }
      const user = await withAvatar(deps, 'users', input.avatar || undefined, (deps) =>
        input.reset_password ? createAccountAndSendLink(deps, draft, caller) : createAccount(deps, draft, caller.user),
      )
      return describe(deps, user, origin)
    },
  }),
  route({
    method: 'PUT',
    path: '/users/:id',
    summary: 'Update a user',
    permission: 'user.manage',
    input: Type.Object({
      id: integer(),
      email: optional(text()),
      password: optional(text({ description: '8 to 128 characters' })),
      skip_reconfirmation: optional(
        flag({ description: 'No effect: email addresses are always confirmed immediately' }),
      ),
      name: optional(text()),
      username: optional(text()),
      ...optionalAttributes,
    }),
    status: 200,
    output: accountView,
    fileLimit: ({ settings }) => anyFile(settings),
    audit: { event: 'user.changed', fields: ['id', 'admin', 'external'] },
    async handle({ deps, caller, input, origin }) {
      const { id, email, name, username, password } = input
      if (await changesAccess(deps, input)) assertRecentlyAuthenticated(deps, caller)
      const change = { email, name, username, password, ...settingsFrom(input) }
      const avatar = input.avatar === '' ? null : input.avatar
      const changed = await withAvatar(deps, 'users', avatar, (deps) => changeAccount(deps, id, change))
      return describe(deps, changed, origin)
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:id',
    summary: 'Delete a user, their namespace and its projects',
    permission: 'user.manage',
    input: Type.Object({
      id: integer(),
      hard_delete: optional(
        flag({ description: 'Also delete groups that have no other owner. Contributions to other projects are kept' }),
      ),
    }),
    status: 204,
    output: noOutput,
    audit: { event: 'user.deleted', fields: ['id', 'hard_delete'] },
    async handle({ deps, input, unmodifiedSince }) {
      const user = await getUser(deps, input.id)
      assertUnmodified(user, unmodifiedSince)
      await removeUser(deps, user, input.hard_delete ?? false)
    },
  }),
  changeOfState('block', 'blocked', 'Block a user, and end their sessions, exports and promotions', blockUserWithWork),
  changeOfState('unblock', 'unblocked', 'Unblock a user', (deps, _caller, id) => unblockUser(deps, id)),
  changeOfState('ban', 'banned', 'Ban a user, and end their sessions, exports and promotions', banUserWithWork),
  changeOfState('unban', 'unbanned', 'Unban a user', (deps, _caller, id) => unbanUser(deps, id)),
  changeOfState(
    'deactivate',
    'deactivated',
    'Deactivate a user until the next sign-in, and end their sessions, exports and promotions',
    deactivateUserWithWork,
  ),
  route({
    method: 'PATCH',
    path: '/users/:id/disable_two_factor',
    summary: 'Remove all second factors of a user who is not an administrator',
    permission: 'user.disable-two-factor',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    audit: { event: 'user.two_factor_disabled', fields: ['id'] },
    handle: async ({ deps, caller, input }) => disableTwoFactor(deps, caller, await getUser(deps, input.id)),
  }),
  changeOfState('activate', 'activated', 'Activate a deactivated user', (deps, _caller, id) => activateUser(deps, id)),
]

function ownProfile(place: { path: string; outside?: boolean; summary: string }): Route {
  return route({
    ...place,
    method: 'GET',
    permission: 'self.read',
    status: 200,
    output: currentUserView,
    cacheTables: ['namespaces', 'users'],
    isPerCaller: true,
    handle: async ({ deps, caller, origin }) =>
      caller.isAdmin
        ? describe(deps, caller.user, origin)
        : viewCurrentUser(caller.user, origin, await attributesOf(deps, caller.user)),
  })
}

/** A route `POST /users/:id/<word>` that returns `true`. */
function changeOfState(
  word: string,
  done: string,
  summary: string,
  change: (deps: RootDeps, caller: Caller, id: number) => Promise<void>,
): Route {
  return route({
    method: 'POST',
    path: `/users/:id/${word}`,
    summary,
    permission: 'user.manage',
    input: Type.Object({ id: integer() }),
    status: 201,
    output: Type.Boolean(),
    audit: { event: `user.${done}`, fields: ['id'] },
    async handle({ deps, caller, input }) {
      await change(deps, caller, input.id)
      return true
    },
  })
}

/** Returns true when a change affects access: the password, the email address or administrator rights. */
async function changesAccess(
  deps: Deps,
  { id, password, email, admin }: { id: number; password?: string; email?: string; admin?: boolean },
): Promise<boolean> {
  if (password !== undefined) return true
  const user = await getUser(deps, id)
  return (email !== undefined && email !== user.email) || (admin !== undefined && admin !== user.isAdmin)
}

function keyOf(user: User, by: UserOrder['by']): string {
  if (by === 'username') return user.username.toLowerCase()
  return { id: String(user.id), name: user.name, created_at: user.createdAt, updated_at: user.updatedAt }[by]
}

async function describe(deps: Deps, user: User, origin: string): Promise<Static<typeof accountView>> {
  const [account] = await readAccounts(deps, [user])
  const attributes = await attributesOf(deps, user)
  return viewAccount({ ...user, namespaceId: null, createdBy: undefined, ...account }, origin, attributes)
}

async function attributesOf(deps: Deps, { id }: User): Promise<GitlabAttributes> {
  return (await readAttributes(deps, 'users', [id])).get(id) ?? {}
}

const idsOf = (users: readonly User[]): number[] => users.map(({ id }) => id)

function isWithoutPassword(input: { reset_password?: boolean; force_random_password?: boolean }): boolean {
  return input.reset_password === true || input.force_random_password === true
}

function settingsFrom(input: {
  admin?: boolean
  can_create_group?: boolean
  external?: boolean
  projects_limit?: number
  note?: string | null
}) {
  return {
    isAdmin: input.admin,
    canCreateGroup: input.can_create_group,
    isExternal: input.external,
    projectsLimit: input.projects_limit,
    note: input.note,
    attributes: attributesFrom(userExtras, input),
  }
}
