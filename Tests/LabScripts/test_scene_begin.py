"""guest/bluetooth: when a scene's time begins."""

import signal
import subprocess

from lab_script import LIBRARY, LabScriptTests


class SceneBegin(LabScriptTests):
    def test_with_several_hosts_it_begins_when_the_last_one_is_up(self):
        radio = subprocess.Popen(["sleep", "60"])  # which the signal that begins a scene ends
        self.addCleanup(radio.wait)
        self.addCleanup(radio.kill)
        self.write("radio.pid", f"{radio.pid}\n")
        environment = self.environment(
            LAB_RUN=str(self.folder),
            LAB_OUT=str(self.folder),
            LAB_SCENE="a.json",
            LAB_HOST="a",
            LAB_HOSTS="abc",
            LAB_CONTROLLERS="1",
        )
        for host in "cab":
            self.assertIsNone(radio.poll())
            command = [str(LIBRARY / "guest/bluetooth"), "host-is-up", host]
            subprocess.run(command, env=environment, check=True, timeout=30)
        self.assertEqual(radio.wait(30), -signal.SIGUSR1)
