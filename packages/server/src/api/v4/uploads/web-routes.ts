import Type from 'typebox'
import { recordDownload } from '../../../domain/uploads/audited-upload.ts'
import { groupAsOwner, projectAsOwner } from '../../../domain/uploads/owner.ts'
import { getUploadBySecret } from '../../../domain/uploads/uploads.ts'
import { filePath, integer, text } from '../../../http/params/input.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { browserDownload } from './browser-download.ts'

/**
 * Input of the URLs in `full_path` and rendered Markdown. Browsers display media that a page may embed and save all other
 * files. The content security policy prevents uploaded content from running scripts or sending requests in this origin.
 */
const input = Type.Object({ id: integer(), secret: text(), filename: filePath() })

export const webUploadRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/-/project/:id/uploads/:secret/:filename',
    outside: true,
    summary: 'View an upload of a project in the browser',
    permission: 'upload.view',
    input,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, project, input }) =>
      browserDownload(
        deps,
        await recordDownload(
          deps,
          await getUploadBySecret(deps, projectAsOwner(project), input.secret, input.filename),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/-/group/:id/uploads/:secret/:filename',
    outside: true,
    summary: 'View an upload of a group in the browser',
    permission: 'group.upload.view',
    input,
    status: 200,
    output: fileOutput,
    handle: async ({ deps, group, input }) =>
      browserDownload(
        deps,
        await recordDownload(deps, await getUploadBySecret(deps, groupAsOwner(group), input.secret, input.filename)),
      ),
  }),
]
