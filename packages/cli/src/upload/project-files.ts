import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CiRun } from '../ci/ci-run.ts'

/** Where each forge looks for CODEOWNERS, in its order, and then the other one. */
const codeowners = {
  gitlab: ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS', '.github/CODEOWNERS'],
  github: ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'],
}

/** Rules and ignore files of scanners, at the root of the repository. */
const ignoreFiles = ['alcove.yml', '.trivyignore', '.trivyignore.yaml', '.grype.yaml', '.snyk', 'osv-scanner.toml']

/**
 * Returns the files of the repository that the server uses besides reports: the first CODEOWNERS, the
 * rules and ignore files of scanners in the working directory. They have effects for the default branch only, so a merge or pull request sends none.
 */
export async function findProjectFiles(
  cwd: string,
  { ci, ref, targetRef }: { ci?: CiRun | undefined; ref?: string | undefined; targetRef?: string | undefined },
): Promise<string[]> {
  if (targetRef !== undefined && targetRef !== ref) return []
  const places = ci?.system === 'GitHub Actions' ? codeowners.github : codeowners.gitlab
  const found = [await firstFile(cwd, places)]
  for (const path of ignoreFiles) found.push(await firstFile(cwd, [path]))
  return found.filter((path) => path !== undefined)
}

async function firstFile(cwd: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const found = await stat(resolve(cwd, path)).catch(() => undefined)
    if (found?.isFile()) return path
  }
  return undefined
}

/** Reads files of the repository, which are sent under their paths. */
export function readProjectFiles(cwd: string, paths: readonly string[]): Promise<File[]> {
  return Promise.all(paths.map(async (path) => new File([await readFile(resolve(cwd, path))], path)))
}
