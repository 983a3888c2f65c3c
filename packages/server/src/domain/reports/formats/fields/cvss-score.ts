export {
  loadRatings,
  loadScores,
  type RateVector,
  type ScoreVector,
  severityOfScore,
  severityOfVectors,
} from '../../../findings/cvss-score.ts'
