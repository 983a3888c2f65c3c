/** Texts of the UI. */
export const texts = {
  details: 'Details',
  reportType: 'Report type',
  scanner: 'Scanner',
  confidence: 'Confidence',
  identifiers: 'Identifiers',
  vulnerabilityCreated: 'Vulnerability created.',
  vulnerabilities: 'Vulnerabilities',
  awaitingTriage: 'Awaiting triage',
  viewVulnerability: 'View vulnerability',
  acceptAsVulnerability: 'Accept as vulnerability',
}
