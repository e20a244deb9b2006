import { Result } from "effect"
import {
  type ConsentAsk,
  type Consented,
  broadcastDisclosure,
  callInRecordingNotice
} from "../../../schema/listeners/Consent.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { listenerNameCharsMax } from "./limits.ts"
import { findings } from "../moderation/Precheck.ts"

/** A name that may be said on the air: short, and with nothing in it that the precheck has something against. */
const isSayable = (name: string): boolean =>
  name.trim() !== "" && [...name].length <= listenerNameCharsMax && findings(name).length === 0
/**
 * The consent rules. A page of the web must have had the disclosure acknowledged. A name is said for an account alone, that saw the text
 * in force and asked for it; whatever falls short of that, a refusal to agree included, is 'a listener', and stays so.
 */
export const judgeConsent = ({
  account,
  attribution,
  consent,
  source
}: ConsentAsk): Result.Result<Consented, string> => {
  const acknowledged = consent?.acknowledged === true
  if (source === "web" && !acknowledged)
    return Result.fail(
      "A page of the web sends consent.acknowledged true, once the listener has agreed to the broadcast disclosure."
    )
  const named =
    account !== null &&
    consent !== null &&
    consent.acknowledged !== false &&
    attribution?.useDisplayName === true &&
    consent.disclosureVersion === broadcastDisclosure.version &&
    isSayable(account.displayName)
  return Result.succeed({
    source: source ?? "api",
    acknowledged,
    disclosureVersion: consent?.disclosureVersion ?? null,
    recordingNoticeVersion: null,
    listenerLabel: named ? account.displayName.trim() : aListener
  })
}
/** The same for a call: a page of the web also says which notice of being recorded it has shown. */
export const judgeCallConsent = (ask: ConsentAsk): Result.Result<Consented, string> =>
  Result.flatMap(judgeConsent(ask), (consented) => {
    const recordingNoticeVersion = ask.consent?.recordingNoticeVersion ?? null
    return ask.source === "web" && (recordingNoticeVersion ?? "") === ""
      ? Result.fail(
          `A page of the web sends consent.recordingNoticeVersion, that of the notice it has shown: ${callInRecordingNotice.version} is in force.`
        )
      : Result.succeed({ ...consented, recordingNoticeVersion })
  })
