import type { Caller } from '../domain/access/callers.ts'
import type { Permission } from '../domain/access/permissions.ts'

/** The credentials of a request. */
export interface Credentials {
  token?: string | undefined
  /** Id or username of the user to act as. */
  sudo?: string | undefined
  /** The session cookie, on routes that accept it; ignored when there is a token. */
  session?: string | undefined
  /** The client's IP address. */
  address: string
  /** Whether the client runs on this machine. */
  isLocal: boolean
  isReading: boolean
  /** The path's `:id`, which decides between several identities that one credential may prove. */
  resourceId?: string | undefined
}

/** What the guard found for a request and a handler receives. */
export interface Found {
  /** The resources that the path names, by kind: `{ project }`. They are never changed in place. */
  resources: Readonly<Record<string, Resource>>
  /** The caller's access level in the resource, for permissions that depend on one; 0 without a membership. */
  level?: number
  /** True when this request has created the resource. */
  isNew?: boolean
}

interface Resource {
  readonly id: number
}

/** Authorizes a request whose resource has been read, with the caller's current access level. */
export type Authorize = (caller: Caller | null) => Promise<Found>

/** Counts a request and throws when the rate limit is exceeded. Returns nothing when no limit applies. */
export type CountRequest = (user: Caller['user'] | undefined) => Promise<void> | undefined

/**
 * The policy behind 401, 403 and 404. `authenticate` runs before the input is read; `authorize` runs after the input has
 * been validated, for uploads before the body is read. In between, `resolveReadable` answers 404 for some resources that
 * the caller may not read, before the input is validated.
 */
export interface Guard {
  /** Calls `count` as soon as the user is known, before any right is checked. */
  authenticate(permission: Permission, credentials: Credentials, count?: CountRequest): Promise<Caller | null>
  /**
   * Reads a resource that must be readable before the input is validated, and returns its authorization, which does not
   * read the row again. Returns nothing for other resources.
   */
  resolveReadable(permission: Permission, caller: Caller | null, id: string | undefined): Promise<Authorize> | undefined
  authorize(permission: Permission, caller: Caller | null, id: string | undefined): Promise<Found>
  /** Checks a permission that the route does not name, with the scopes of the caller's token, for a part of its input. */
  permit(permission: Permission, caller: Caller | null, id: string | undefined): Promise<Found>
  /** Returns a key of the browser that the cookie identifies, or `undefined` if no user has signed in from it. */
  recognizeBrowser(cookie: string): Promise<string | undefined>
}
