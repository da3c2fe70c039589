"""Finding tests: whether a filter could match, by the sources alone."""

import subprocess
import sys

from lab_script import LIBRARY, LabScriptTests

SOURCE = """
@Suite("Batteries") struct BatteryTests {
    @Test("a full battery lasts") func lasts() {}
    @Test func `runs down`() {}
}
extension BatteryTests.Nested { func testRecharges() {} }
"""


class FindTests(LabScriptTests):
    def setUp(self):
        super().setUp()
        self.write("Tests/AppTests/Power/BatteryTests.swift", SOURCE)

    def find(self, *filters, folder="Tests"):
        result = subprocess.run(
            [sys.executable, LIBRARY, "find-tests", self.folder / folder, "--", *filters],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return result.returncode, result.stderr.strip()

    def test_names_of_all_kinds_could_match(self):
        for pattern in (
            "BatteryTests",
            "AppTests.BatteryTests/lasts",
            "lasts",
            "runs down",
            "Batteries",
            "testRecharges",
            "AppTests",
            r"AppTests\.BatteryTests",
            "nothing|lasts",
            "Power",
        ):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.find(pattern), (0, ""))

    def test_tests_in_python_count_where_they_are_run(self):
        for folder in ("python/tests", "Tests"):
            self.write(f"{folder}/test_gateway.py", "async def test_reads(): ...")
        self.assertEqual(self.find("test_reads", folder="python/tests")[0], 0)
        self.assertEqual(self.find("test_reads", folder="Tests")[0], 1, "lab test runs none of these")

    def test_without_filters_all_match(self):
        self.assertEqual(self.find(), (0, ""))

    def test_one_of_several_filters_is_enough(self):
        self.assertEqual(self.find("nowhere", "lasts")[0], 0)

    def test_a_typo_is_reported_with_what_is_near(self):
        status, said = self.find("BateryTests")
        self.assertEqual(status, 1)
        self.assertEqual(said, "lab: no test matches BateryTests; did you mean BatteryTests?")

    def test_what_is_like_nothing_has_no_hint(self):
        self.assertEqual(self.find("Zzyzx"), (1, "lab: no test matches Zzyzx"))

    def test_an_expression_that_is_more_than_words_could_match(self):
        for pattern in ("^(?=x).*", "Zz[yz]+", "Zz.*", "(a|b)Zz"):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.find(pattern)[0], 0)
