/** Sends a request to the API as the administrator, or with another token, and returns the body. Throws when it is refused. */
// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
export type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token?: string) => Promise<any>
