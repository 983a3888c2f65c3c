import type { GitlabAttributes } from '../../../domain/projects/gitlab-attribute.ts'
import { type Attributes, each, flagAttribute, integerAttribute, textAttribute } from '../projects/gitlab-attributes.ts'

/** Parts of a profile that GitLab shows to other users, unless the profile is private. */
const profileTexts = [
  'bio',
  'location',
  'public_email',
  'skype',
  'linkedin',
  'twitter',
  'discord',
  'website_url',
  'github',
  'job_title',
  'pronouns',
  'organization',
] as const

export const userExtras: Attributes = {
  ...each(profileTexts, textAttribute),
  commit_email: textAttribute,
  ...each(['private_profile', 'auditor', 'view_diffs_file_by_file', 'show_whitespace_in_diffs'], flagAttribute),
  ...each(
    [
      'theme_id',
      'color_scheme_id',
      'group_id_for_saml',
      'shared_runners_minutes_limit',
      'extra_shared_runners_minutes_limit',
    ],
    integerAttribute,
  ),
}

/** Returns the part of the attributes that any user may read. */
export function publicAttributes(attributes: GitlabAttributes): GitlabAttributes {
  if (attributes['private_profile'] === true) return {}
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => profileTexts.some((text) => text === name)))
}
