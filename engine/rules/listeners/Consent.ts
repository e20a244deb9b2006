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

/** Whether a name may be spoken on air: short, and passed by the precheck. */
const isSayable = (name: string): boolean =>
  name.trim() !== "" && [...name].length <= listenerNameCharsMax && findings(name).length === 0
/**
 * The consent rules. A web page must have had the disclosure acknowledged. A name is spoken only for an account that saw the current text and opted
 * in; otherwise, also after a refusal, the sender is "a listener" for good.
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
/** The same for a call: a web page also names the recording notice it showed. */
export const judgeCallConsent = (ask: ConsentAsk): Result.Result<Consented, string> =>
  Result.flatMap(judgeConsent(ask), (consented) => {
    const recordingNoticeVersion = ask.consent?.recordingNoticeVersion ?? null
    return ask.source === "web" && (recordingNoticeVersion ?? "") === ""
      ? Result.fail(
          `A page of the web sends consent.recordingNoticeVersion, that of the notice it has shown: ${callInRecordingNotice.version} is in force.`
        )
      : Result.succeed({ ...consented, recordingNoticeVersion })
  })
