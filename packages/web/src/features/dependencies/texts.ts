import { counted } from '../../components/format.ts'

/** Texts of the UI. */
export const texts = {
  unknown: 'Unknown',
  dependencies: 'Dependencies',
  packagesOnWhichTheDefault:
    'Packages on which the default branches of your projects depend, from their CycloneDX and SPDX reports.',
  searchPackages: 'Search packages',
  nameOrPkgNpm: 'Name, or pkg:npm/lodash@4.17.20',
  noMatchingPackages: 'No matching packages',
  packages: 'Packages',
  package: 'Package',
  version: 'Version',
  projects: 'Projects',
  andOtherProject: (total: number) => `and ${counted(total, 'other project')}`,
  typeAWordOfAtLeast: 'Type a word of at least three letters, or a package URL.',
  noDependenciesYet: 'No dependencies yet',
  importACyclonedxOrSpdx: 'Import a CycloneDX or SPDX report of a default branch.',
  licenses: 'Licenses',
  license: 'License',
  packagesOnWhichTheDefaultBranches:
    'Packages on which the default branches of the group’s projects depend, from their CycloneDX and SPDX reports.',
  partOfAName: 'Part of a name',
  used: 'Used',
  packagesThatTheNewest: 'Packages that the newest reports of the default branch list: CycloneDX and SPDX.',
  searchAllProjects: 'Search all projects',
  searchDependencies: 'Search dependencies',
  allLicenses: 'All licenses',
  noMatchingDependencies: 'No matching dependencies',
  importACyclonedxOrSpdxReport: 'Import a CycloneDX or SPDX report of the default branch.',
  vulnerabilities: 'Vulnerabilities',
  file: 'File',
  none: 'None',
  vulnerabilitiesCount: (count: number) => counted(count, 'vulnerability', 'vulnerabilities'),
  inLabel: (name: string, version: string) => `in ${name} ${version}`,
}
