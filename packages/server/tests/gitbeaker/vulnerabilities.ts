import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type Api, type Fixture, forbidden, noProject, refusal, unauthorized } from './support.ts'

export function testVulnerabilities(fixture: Fixture): void {
  test('a report creates findings, and a finding can be promoted once', async () => {
    const project = await fixture.project()
    const { id: authorId, api } = await fixture.user('keeper', project, 40)
    const vulnerabilities = api.ProjectVulnerabilities
    expect((await sendReport(api, project.id)).status).toBe(201)

    const findings = await findingsOf(api, project.id)
    expect(findings).toMatchObject([
      { id: expect.any(Number), name: 'Query built from user input', severity: 'critical', vulnerability_id: null },
      { name: 'Weak hash of a password', severity: 'medium' },
      { name: 'Port number in the source', severity: 'info' },
    ])
    expect(await vulnerabilities.all(project.id)).toEqual([])

    const finding = findings[1]?.id ?? 0
    const created = await vulnerabilities.create(project.id, finding)
    expect(created).toMatchObject({
      id: expect.any(Number),
      title: 'Weak hash of a password',
      state: 'detected',
      severity: 'medium',
      confidence: 'unknown',
      report_type: 'sast',
      project: { id: project.id, path_with_namespace: project.path_with_namespace },
      finding: { id: finding, vulnerability_id: created.id, project_id: project.id },
      author_id: authorId,
      resolved_on_default_branch: false,
      project_default_branch: project.default_branch,
      dismissed_at: null,
      resolved_at: null,
    })
    expect(JSON.parse(`${created.finding.raw_metadata}`)).toMatchObject({ location: { file: 'src/crew.ts' } })
    expect(await vulnerabilities.all(`${project.path_with_namespace}`)).toEqual([created])

    const { status, description } = await refusal(vulnerabilities.create(project.id, finding))
    const base = ['finding is not found or is already attached to a vulnerability']
    expect([status, JSON.parse(description)]).toEqual([400, { base }])
  })

  test('vulnerabilities are listed by severity', async () => {
    const project = await fixture.project()
    await sendReport(fixture.admin, project.id)
    const findings = await findingsOf(fixture.admin, project.id)
    for (const { id } of findings.toReversed()) await fixture.admin.ProjectVulnerabilities.create(project.id, id)
    const all = await fixture.admin.ProjectVulnerabilities.all(project.id, { perPage: 1 })
    expect(all.map(({ severity }) => severity)).toEqual(['critical', 'medium', 'info'])
  })

  test('unauthorized callers are rejected', async () => {
    const open = await fixture.project({ visibility: 'public' })
    const closed = await fixture.project()
    await sendReport(fixture.admin, open.id)
    const finding = (await findingsOf(fixture.admin, open.id))[0]?.id ?? 0
    const { api: developer } = await fixture.user('developer', open, 30)
    const { api: reporter } = await fixture.user('reporter', open, 20)
    const { api: stranger } = await fixture.user('stranger')
    const nobody = fixture.api('')

    expect(await developer.ProjectVulnerabilities.all(open.id)).toEqual([])
    expect(await refusal(developer.ProjectVulnerabilities.create(open.id, finding))).toEqual(forbidden)
    expect(await refusal(reporter.ProjectVulnerabilities.all(open.id))).toEqual(forbidden)
    expect(await refusal(stranger.ProjectVulnerabilities.all(open.id))).toEqual(forbidden)
    expect(await refusal(sendReport(reporter, open.id))).toEqual(forbidden)
    expect(await refusal(stranger.ProjectVulnerabilities.all(closed.id))).toEqual(noProject)
    expect(await refusal(nobody.ProjectVulnerabilities.all(open.id))).toEqual(unauthorized)
    expect(await refusal(nobody.ProjectVulnerabilities.create(open.id, finding))).toEqual(unauthorized)
  })

  test('invalid findings are rejected', async () => {
    const project = await fixture.project()
    const { ProjectVulnerabilities, Projects } = fixture.admin
    const noNumber = ProjectVulnerabilities.create(project.id, 'abc' as unknown as number) // sends what its type forbids
    expect(await refusal(noNumber)).toEqual({ status: 400, description: 'finding_id is invalid' })
    const nothing = Projects.requester.post(`projects/${project.id}/vulnerabilities`, { body: {} })
    expect(await refusal(nothing)).toEqual({ status: 400, description: 'finding_id is missing' })
    const unknown = await refusal(ProjectVulnerabilities.create(project.id, 999_999_999))
    expect([unknown.status, JSON.parse(unknown.description)]).toMatchObject([400, { base: [expect.any(String)] }])
  })
}

async function sendReport(api: Api, projectId: number) {
  const report = await readFile(new URL('../../../../tests/compat/sast-report.json', import.meta.url))
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(report)]), 'gl-sast-report.json')
  form.append('report_type', 'sast')
  return api.Projects.requester.post(`projects/${projectId}/security_reports`, { body: form })
}

async function findingsOf(api: Api, projectId: number) {
  const searchParams = { perPage: 100 }
  const { body } = await api.Projects.requester.get(`projects/${projectId}/vulnerability_findings`, { searchParams })
  return body as unknown as { id: number; name: string; severity: string }[] // the client declares no type of findings
}
