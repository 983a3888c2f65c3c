import { describeRoutes } from '../../http/response/openapi.ts'
import { type Route, route } from '../../http/route.ts'
import { freeObject } from './views.ts'

/** The document describes its own route too, so the list of them is asked for when it is complete. */
export function documentRoute(routes: () => readonly Route[]): Route {
  return route({
    method: 'GET',
    path: '/-/openapi.json',
    outside: true,
    summary: 'Get the OpenAPI 3.1 document of this server',
    permission: 'api.describe',
    status: 200,
    output: freeObject,
    // It depends on nothing that changes while the process lives.
    remember: [],
    handle: async () => describeRoutes(routes()),
  })
}
