import Type, { type TObject } from 'typebox'
import { type PermissionRow, permissions, returnsSecrets, showsAccount } from '../../domain/access/permissions.ts'
import type { RootDeps } from '../../domain/deps.ts'
import type { ReceiveOptions } from '../../platform/object-store/receive.ts'
import type { Guard } from '../guard.ts'
import { maxTextBytes as defaultMaxTextBytes, maxSmallTextBytes } from '../params/body.ts'
import { compileInput, filePartNames } from '../params/compile-input.ts'
import { pageProperties } from '../response/pages.ts'
import { serialiserOf } from '../response/serialiser.ts'
import { addressOf, type Route } from '../route.ts'
import { openRawBodies } from './body/raw-bodies.ts'
import { openExecuteOnce } from './idempotency.ts'
import { openResponseCache } from './response-cache.ts'
import type { Throttle } from './throttle.ts'

/** A route with everything that is derived from it once, when the server starts. */
export type Endpoint = ReturnType<typeof compileEndpoint>

/** What every route needs. */
export interface Services {
  deps: RootDeps
  guard: Guard
  throttle: Throttle
  /** Changes uploaded files before they are stored. */
  transformFile: NonNullable<ReceiveOptions['transform']>
}

export function compileEndpoint(services: Services, route: Route) {
  const { deps, guard } = services
  const schema = inputSchema(route)
  const fileFields = filePartNames(schema)
  const row: PermissionRow = permissions[route.permission]
  return {
    ...services,
    route,
    row,
    schema,
    fileFields,
    readInput: compileInput(schema),
    stringify: serialiserOf(route.output as object), // a schema is an object
    responses: route.cacheTables && openResponseCache(deps, route.cacheTables, { isPerCaller: route.isPerCaller }),
    maxFileBytes: route.fileLimit ? (route.maxFileBytes?.(deps.settings) ?? deps.settings.maxUploadBytes) : 0,
    maxTextBytes: route.maxTextBytes ?? (route.outside ? maxSmallTextBytes : defaultMaxTextBytes),
    /** Which segment of the path is `:id`. */
    idSegment: addressOf(route).split('/').indexOf(':id'),
    isPrivate: showsAccount(route.permission),
    isCompressible: !returnsSecrets(route.permission),
    hasOrganization: 'organization_id' in schema.properties,
    executeOnce: openExecuteOnce(deps, guard, route),
    readRawBody: openRawBodies(),
  }
}

function inputSchema(route: Route): TObject {
  const own = route.input ?? Type.Object({})
  if (!route.paged) return own
  // Keywords beside the properties, such as `exclusive`, are kept.
  const { properties, type: _type, required: _required, ...keywords } = own as TObject & Record<string, unknown>
  return Type.Object({ ...properties, ...pageProperties }, keywords)
}
