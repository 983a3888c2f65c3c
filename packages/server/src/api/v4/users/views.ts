import Type from 'typebox'
import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import type { Account, Person, User } from '../../../domain/users/user.ts'
import { customAttributesField } from '../custom-attributes/views.ts'
import { outputsOf } from '../projects/gitlab-attributes.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'
import { publicAttributes, userExtras } from './gitlab-attributes.ts'

const basicFields = {
  id: Type.Integer(),
  username: Type.String(),
  public_email: nullableString,
  name: Type.String(),
  state: Type.String(),
  locked: Type.Boolean(),
  avatar_url: nullableString,
  web_url: Type.String(),
}

const profileFields = {
  created_at: timestamp,
  bio: Type.String(),
  location: nullableString,
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  website_url: Type.String(),
  github: Type.String(),
  job_title: Type.String(),
  pronouns: nullableString,
  organization: nullableString,
  bot: Type.Boolean(),
  work_information: nullableString,
  followers: Type.Integer(),
  following: Type.Integer(),
  local_time: nullableString,
}

const privateFields = {
  last_sign_in_at: nullableString,
  confirmed_at: nullableString,
  last_activity_on: nullableString,
  email: Type.String(),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: nullableString,
  identities: Type.Array(Type.Object({})),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: Type.String(),
  preferred_language: Type.String(),
}

/** A user inside other responses and in lists. */
export const basicUserView = Type.Object(basicFields, { title: 'BasicUser' })

/** A `basicUserView` or null. Uses a type array, because the serialiser is slow with `anyOf`. */
export const nullableUser = Type.Unsafe<ReturnType<typeof viewBasicUser> | null>({
  ...Type.Object(basicUserView.properties),
  type: ['object', 'null'],
})

const administratorFields = {
  is_admin: Type.Boolean(),
  note: nullableString,
  namespace_id: nullableInteger,
  created_by: Type.Unsafe<ReturnType<typeof viewBasicUser> | null>({
    ...Type.Object(basicFields),
    type: ['object', 'null'],
  }),
}

const detailFields = { ...profileFields, ...privateFields, ...administratorFields }
const attributes = outputsOf(userExtras, { ...basicFields, ...detailFields })

/** A user as administrators see them. */
export const accountView = Type.Object({ ...basicFields, ...detailFields, ...attributes }, { title: 'Account' })
/** The current user as they see themselves. */
export const currentUserView = Type.Object({
  ...basicFields,
  ...profileFields,
  ...privateFields,
  ...Type.Partial(Type.Object(administratorFields)).properties,
  ...attributes,
})
/** A user's profile; administrators get more fields. */
export const userView = Type.Object({
  ...basicFields,
  ...profileFields,
  ...Type.Partial(Type.Object({ ...privateFields, ...administratorFields })).properties,
  ...outputsOf(userExtras, { ...basicFields, ...profileFields }),
  ...customAttributesField,
})
/** An item of the list of users; administrators get more fields. */
export const listedUserView = Type.Object({
  ...basicFields,
  ...Type.Partial(Type.Object(detailFields)).properties,
  ...outputsOf(userExtras, basicFields),
  ...customAttributesField,
})

export function viewBasicUser(user: Person, origin: string) {
  return {
    id: user.id,
    username: user.username,
    public_email: null,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: avatarUrl('user', user, origin),
    web_url: `${origin}/${user.username}`,
  }
}

/** Returns a user's profile, of whose fields only the name has an effect. */
export function viewUser(user: User, origin: string, attributes: GitlabAttributes = {}) {
  return { ...viewProfile(user, origin), ...publicAttributes(attributes), ...viewWork(publicAttributes(attributes)) }
}

/** Returns the field that GitLab derives from the job title and the organization. */
function viewWork({ job_title: title, organization }: GitlabAttributes) {
  const parts = [title, organization].filter(Boolean)
  return parts.length > 0 && { work_information: parts.join(' at ') }
}

function viewProfile(user: User, origin: string) {
  return {
    ...viewBasicUser(user, origin),
    created_at: user.createdAt,
    bio: '',
    location: null,
    linkedin: '',
    twitter: '',
    discord: '',
    website_url: '',
    github: '',
    job_title: '',
    pronouns: null,
    organization: null,
    bot: user.isBot,
    work_information: null,
    followers: 0,
    following: 0,
    local_time: null,
  }
}

export function viewCurrentUser(user: User, origin: string, attributes: GitlabAttributes = {}) {
  return { ...viewPrivate(user, origin), ...attributes, ...viewWork(attributes) }
}

function viewPrivate(user: User, origin: string) {
  return {
    ...viewProfile(user, origin),
    last_sign_in_at: null,
    confirmed_at: user.createdAt,
    last_activity_on: null,
    email: user.email,
    theme_id: 1,
    color_scheme_id: 1,
    projects_limit: user.projectsLimit,
    current_sign_in_at: null,
    identities: [],
    can_create_group: user.canCreateGroup,
    can_create_project: user.projectsLimit > 0,
    two_factor_enabled: user.hasSecondFactor,
    external: user.isExternal,
    private_profile: false,
    commit_email: user.email,
    preferred_language: 'en',
  }
}

export function viewAccount(account: Account, origin: string, attributes: GitlabAttributes = {}) {
  return {
    ...viewCurrentUser(account, origin, attributes),
    is_admin: account.isAdmin,
    note: account.note,
    namespace_id: account.namespaceId,
    created_by: account.createdBy ? viewBasicUser(account.createdBy, origin) : null,
  }
}
