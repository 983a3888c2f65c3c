/** Sends a request to the API as the administrator and returns the body. Throws when it is refused. */
// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
export type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<any>
