import { readCiRun } from '../ci/environments.ts'
import { wrongUsage } from '../exit.ts'
import type { Io } from '../io.ts'

/** Returns the project of a command: of its option, of `ALCOVE_PROJECT`, or of the CI job. */
export function projectOf({ env }: Io, option: string | undefined): string {
  const project = option ?? (env['ALCOVE_PROJECT'] || readCiRun(env)?.project)
  if (project) return project
  throw wrongUsage('The project is missing. Name it with --project, such as: --project shop/api')
}
