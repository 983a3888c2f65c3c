/**
 * Sends a request to the API as the administrator, or with the cookie of another user's session, and returns the body. Throws
 * when it is refused.
 */
// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
export type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, cookie?: string) => Promise<any>

/** Signs in with a password. Returns the cookie of the session. */
export type SignIn = (login: string, password: string) => Promise<string>
