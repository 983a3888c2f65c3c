import type { InvalidAttributes } from '../../platform/failure.ts'
import type { Optional } from '../optional.ts'
import { type PasswordOwner, passwordProblems } from '../sign-in/passwords/password-policy.ts'
import type { User } from './user.ts'

/** Attributes of a new user. */
export interface UserDraft
  extends Pick<User, 'username' | 'email' | 'name'>,
    Optional<Pick<User, 'isAdmin' | 'isExternal' | 'canCreateGroup' | 'projectsLimit' | 'note'>> {
  /** Without a password, the user cannot sign in with one until it is set. */
  password?: string | undefined
}

/** Changed attributes of a user; absent ones stay the same. */
export type UserChange = Optional<UserDraft>

/** Returns the errors of the given attributes, except uniqueness. `known` has the user's unchanged attributes. */
export function userProblems(draft: UserChange, known: PasswordOwner = {}): InvalidAttributes {
  const found: Record<string, readonly string[]> = {
    email: draft.email === undefined ? [] : emailProblems(draft.email),
    username: draft.username === undefined ? [] : usernameProblems(draft.username),
    name: draft.name === undefined ? [] : textProblems(draft.name),
    password: draft.password === undefined ? [] : passwordProblems(draft.password, ownerOf(draft, known)),
    projects_limit: (draft.projectsLimit ?? 0) < 0 ? ['must be greater than or equal to 0'] : [],
  }
  return Object.fromEntries(Object.entries(found).filter(([, messages]) => messages.length > 0))
}

const blank = "can't be blank"
const maxTextLength = 255

function textProblems(value: string): string[] {
  if (value.trim() === '') return [blank]
  return length(value) > maxTextLength ? [`is too long (maximum is ${maxTextLength} characters)`] : []
}

function emailProblems(email: string): string[] {
  if (email.trim() === '') return [blank]
  // Only a delivered message could prove the address, so the pattern is lenient.
  return /^[^@\s]+@[^@\s]+$/.test(email) ? textProblems(email) : ['is invalid']
}

function ownerOf({ username, email, name }: UserChange, known: PasswordOwner): PasswordOwner {
  return { username: username ?? known.username, email: email ?? known.email, name: name ?? known.name }
}

/** Validates a username, which is also the path of the user's namespace and the first segment of project URLs. */
function usernameProblems(username: string): string[] {
  const problems = textProblems(username)
  if (problems.length > 0) return problems
  if (!/^[a-z0-9_.][a-z0-9_.-]*$/i.test(username) || /(\.|\.git|\.atom)$/i.test(username)) {
    return [
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
    ]
  }
  return reservedNames.has(username.toLowerCase()) ? [`${username} is a reserved name`] : []
}

/** First URL segments that are reserved by this server or by GitLab, from which users may migrate. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...['-', '.well-known', '404.html', '422.html', '500.html', '502.html', '503.html', 'admin', 'api', 'assets'],
  ...['dashboard', 'deploy.html', 'explore', 'favicon.ico', 'favicon.png', 'files', 'groups', 'health_check', 'help'],
  ...['import', 'jwt', 'login', 'logo.svg', 'oauth', 'profile', 'projects', 'public', 'robots.txt', 's', 'search'],
  ...['sitemap', 'sitemap.xml', 'snippets', 'unsubscribe', 'uploads', 'users', 'v2'],
])

function length(text: string): number {
  return [...text].length
}
