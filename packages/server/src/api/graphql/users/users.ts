import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import type { Person } from '../../../domain/users/user.ts'
import type { Context, SchemaPart } from '../context.ts'
import { globalId } from '../global-id.ts'

const userFields = `
  id: ID!
  username: String!
  name: String!
  state: UserState!
  bot: Boolean
  webUrl: String!
  webPath: String!
  avatarUrl: String
  publicEmail: String`

type Account = Person & { isBot?: boolean }

const userResolvers = {
  id: ({ id }: Account) => globalId('User', id),
  webUrl: ({ username }: Account, _: unknown, { origin }: Context) => `${origin}/${username}`,
  avatarUrl: (user: Account, _: unknown, { origin }: Context) => avatarUrl('user', user, origin),
  webPath: ({ username }: Account) => `/${username}`,
  bot: ({ isBot }: Account) => isBot ?? null,
}

export const userSchema: SchemaPart = {
  types: `
"State of a user."
enum UserState { active banned blocked deactivated unconfirmed }
"A user."
interface User {${userFields}
}
"A user, as other users see them."
type UserCore implements User {${userFields}
}
"The authenticated user."
type CurrentUser implements User {${userFields}
}
extend type Query {
  "The user of the token or session; null for an anonymous request."
  currentUser: CurrentUser
}`,
  resolvers: {
    Query: { currentUser: (_: unknown, __: unknown, { caller }: Context) => caller?.user ?? null },
    UserCore: userResolvers,
    CurrentUser: userResolvers,
  },
}
