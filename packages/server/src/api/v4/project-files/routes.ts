import Type from 'typebox'
import {
  type ProjectFileName,
  projectFileNames,
  type StoredProjectFile,
} from '../../../domain/vulnerabilities/project-files/project-file.ts'
import {
  type CodeownersOfProject,
  deleteProjectFile,
  findProjectFiles,
  readCodeowners,
} from '../../../domain/vulnerabilities/project-files/project-files.ts'
import { oneOf } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableUser, viewBasicUser } from '../users/views.ts'
import { nullableInteger, timestamp } from '../views.ts'
import { fileWarningView } from './views.ts'

const fileFields = {
  name: Type.Unsafe<ProjectFileName>({ type: 'string', enum: projectFileNames }),
  path: Type.String({ description: 'Path as the sender named it' }),
  ref: Type.String({ description: 'Default branch at the time of the report' }),
  size: Type.Integer({ description: 'Bytes of the content' }),
  sha256: Type.String(),
  report_id: { ...nullableInteger, description: 'The last import that had the file' },
  author: nullableUser,
  warnings: Type.Array(fileWarningView, { description: 'Lines without effect, at most 100' }),
  created_at: timestamp,
  updated_at: timestamp,
}

const projectFileView = Type.Object(fileFields, { title: 'ProjectFile' })

const viewFile = (file: StoredProjectFile, origin: string) => ({
  name: file.name,
  path: file.path,
  ref: file.ref,
  size: Buffer.byteLength(file.content),
  sha256: file.sha256,
  report_id: file.importId,
  author: file.author && viewBasicUser(file.author, origin),
  warnings: [...file.warnings],
  created_at: file.createdAt,
  updated_at: file.updatedAt,
})

const codeownersView = Type.Object(
  {
    ...fileFields,
    content: Type.String(),
    sections: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Empty for the lines before the first section' }),
        rules: Type.Array(
          Type.Object({
            line: Type.Integer(),
            pattern: Type.String(),
            owners: Type.Array(Type.String(), {
              description: 'Users only; a line without owners has those of its section',
            }),
          }),
        ),
      }),
    ),
    owners: Type.Array(
      Type.Object({
        owner: Type.String(),
        user: Type.Unsafe<{ id: number; username: string } | null>({
          ...Type.Object({ id: Type.Integer(), username: Type.String() }),
          type: ['object', 'null'],
        }),
      }),
      { description: 'Owners who are users that may triage vulnerabilities of the project' },
    ),
    unresolved_owners: Type.Array(Type.Object({ owner: Type.String(), line: Type.Integer() }), {
      description: 'Owners who are no user, or one who may not triage vulnerabilities of the project',
    }),
  },
  { title: 'Codeowners' },
)

const viewCodeowners = ({ file, codeowners, owners }: CodeownersOfProject, origin: string) => ({
  ...viewFile(file, origin),
  content: file.content,
  sections: codeowners.sections
    .filter(({ rules }) => rules.length > 0)
    .map(({ name, rules }) => ({
      name,
      rules: rules.map(({ line, pattern, owners }) => ({ line, pattern, owners: [...owners] })),
    })),
  owners: owners.flatMap(({ owner, user }) => (user ? { owner, user } : [])),
  unresolved_owners: owners.flatMap(({ owner, line, user }) => (user ? [] : { owner, line })),
})

export const projectFileRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/project_files',
    summary: 'List the last files of the repository that reports had',
    permission: 'project-file.read',
    status: 200,
    output: Type.Array(projectFileView),
    handle: async ({ deps, project, origin }) =>
      (await findProjectFiles(deps, project)).map((file) => viewFile(file, origin)),
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/project_files/:name',
    summary: 'Delete a stored file with its rules; what it has assigned stays',
    permission: 'project-file.manage',
    input: Type.Object({ name: oneOf(projectFileNames) }),
    status: 204,
    output: noOutput,
    handle: ({ deps, project, input }) => deleteProjectFile(deps, project, input.name),
  }),
  route({
    method: 'GET',
    path: '/projects/:id/codeowners',
    summary: 'Get the stored CODEOWNERS with its owners',
    permission: 'project-file.read',
    status: 200,
    output: codeownersView,
    handle: async ({ deps, project, origin }) => viewCodeowners(await readCodeowners(deps, project), origin),
  }),
]
