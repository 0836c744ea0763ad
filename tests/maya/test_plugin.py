"""The suite to run in a real Maya: ``mayapy tests/maya/test_plugin.py PLUGIN DEMO_DIR``.

PLUGIN is the built library of this Maya's year, DEMO_DIR what ``mhrig demo DIR`` wrote. The character's scene is opened
as the product wrote it, and the plug-in has to do with it what its tests in the stand-in host show. With the file
DEMO_DIR/rig.ma (``mhrig assemble DEMO_DIR/archetype/head.dna DEMO_DIR/archetype/body.dna --archetype DEMO_DIR/archetype -o
DEMO_DIR/rig.ma``) that scene is opened and moved too. Exit code 0 when everything passed.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
import unittest

PLUGIN, DEMO = "", ""
# The open jaw of the demo's archetype: vertices of the head that move more than MOVED_CM, and the farthest, in cm. The
# test expressions_of_the_glb_are_where_the_evaluator_has_them prints both.
MOVED_CM = 1e-4
JAW_OPEN = (2249, 3.874)


class PluginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from maya import cmds

        cls.cmds = cmds
        cls.archetype = os.path.join(DEMO, "archetype")
        cls.scene = os.path.join(DEMO, "character", "scene.ma")

    def setUp(self):
        self.cmds.file(self.scene, open=True, force=True)
        self.cmds.loadPlugin(PLUGIN)
        self.out = tempfile.mkdtemp(prefix="mhrig \u89d2\u8272 ")

    def tearDown(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def build(self, **flags):
        return self.cmds.mhBuildDna(archetype=self.archetype, outDir=self.out, name="mary", **flags)

    def test_commands_have_help(self):
        for command in ("mhCheckTopology", "mhFit", "mhBuildDna", "mhAssemble", "mhInspectDna"):
            self.assertIn(command, getattr(self.cmds, command)(help=True))
            self.assertIn("archetype" if command != "mhInspectDna" else "json", self.cmds.help(command))

    def test_the_character_has_the_archetypes_topology(self):
        report = json.loads(self.cmds.mhCheckTopology(archetype=self.archetype, json=True))
        self.assertIn(report["status"], ("ok", "findings"))
        self.assertTrue(all(mesh["matches"] for mesh in report["meshes"] if mesh["input"]))

    def test_units_and_up_axis_do_not_matter(self):
        first = [open(path, "rb").read() for path in self.build()]
        self.cmds.currentUnit(linear="in")
        second = [open(path, "rb").read() for path in self.build(force=True)]
        self.assertEqual(first, second)

    def test_a_build_changes_nothing_in_the_scene(self):
        before = self.cmds.ls(long=True)
        paths = self.build()
        self.assertTrue(all(os.path.isfile(path) for path in paths))
        self.assertEqual(before, self.cmds.ls(long=True))
        with self.assertRaises(RuntimeError):
            self.build()

    def test_a_fit_is_one_undo_step(self):
        truth = os.path.join(DEMO, "truth", "joints.csv")
        with open(truth) as lines:
            names = [line.split(",")[0] for line in list(lines)[1:] if line.strip()]
        for name in names:
            self.cmds.select(clear=True)
            self.cmds.joint(name=name, position=(1, 2, 3))
        before = {name: self.cmds.xform(name, query=True, worldSpace=True, translation=True) for name in names}
        self.cmds.flushUndo()
        moved = self.cmds.mhFit(archetype=self.archetype)
        self.assertTrue(moved)
        self.cmds.undo()
        after = {name: self.cmds.xform(name, query=True, worldSpace=True, translation=True) for name in names}
        self.assertEqual(before, after)
        self.cmds.redo()

    def assemble(self, **flags):
        parts = {part: os.path.join(self.archetype, part + ".dna") for part in ("head", "body")}
        return self.cmds.mhAssemble(archetype=self.archetype, **parts, **flags)

    def points(self, mesh):
        # A session without a window does not evaluate by itself.
        self.cmds.dgdirty(allPlugs=True)
        self.cmds.dgeval(mesh + "Shape.outMesh")
        flat = self.cmds.xform(mesh + ".vtx[*]", query=True, worldSpace=True, translation=True)
        return list(zip(flat[0::3], flat[1::3], flat[2::3]))

    def assert_jaw_opens(self, prefix=""):
        mesh = prefix + "head_lod0_mesh"
        rest = self.points(mesh)
        self.cmds.setAttr(prefix + "CTRL_C_jaw.translateY", 1)
        moved = [sum((a - b) ** 2 for a, b in zip(*pair)) ** 0.5 for pair in zip(rest, self.points(mesh))]
        count, most = JAW_OPEN
        self.assertLessEqual(abs(sum(way > MOVED_CM for way in moved) - count), count // 100)
        self.assertAlmostEqual(max(moved), most, delta=2e-3)

    def locked_normals(self, mesh):
        """Normals of the corners that are locked: one for each vertex, in order."""
        from maya.api import OpenMaya

        selection = OpenMaya.MSelectionList()
        selection.add(mesh + "Shape")
        shape = OpenMaya.MFnMesh(selection.getDagPath(0))
        found = {}
        for face in range(shape.numPolygons):
            for vertex, normal in zip(shape.getPolygonVertices(face), shape.getFaceNormalIds(face)):
                if shape.isNormalLocked(normal):
                    found[vertex] = tuple(round(c, 3) for c in shape.getFaceVertexNormal(face, vertex))
        return sorted(found.values())

    def assert_made_from_the_demo(self):
        head, body = (self.locked_normals(part + "_lod0_mesh") for part in ("head", "body"))
        self.assertGreater(len(head), 10)
        self.assertEqual(head, body)
        for part in ("Head", "Body"):
            with open(os.path.join(self.archetype, part.lower() + ".dna"), "rb") as file:
                expected = hashlib.sha256(file.read()).hexdigest()
            self.assertEqual(self.cmds.getAttr("rig.mhrig{}Hash".format(part)), expected)

    def test_an_assembled_character_moves(self):
        counts = json.loads(self.assemble(newScene=True, force=True, json=True))["counts"]
        self.assertEqual(len(self.cmds.ls(type="joint")), counts["joints"])
        self.assertEqual(len(self.cmds.ls(type="skinCluster")), counts["skin_clusters"])
        self.assert_made_from_the_demo()
        self.assert_jaw_opens()

    def test_two_characters_in_one_scene_move(self):
        for name in ("anna", "ben"):
            self.assemble(namespace=name)
        for name in ("ben:", "anna:"):
            self.assert_jaw_opens(name)

    def test_an_assembly_is_one_undo_step(self):
        before = self.cmds.ls(long=True)
        self.cmds.flushUndo()
        self.assemble()
        self.cmds.undo()
        self.assertEqual(before, self.cmds.ls(long=True))
        self.cmds.redo()
        self.assert_jaw_opens()

    def test_a_saved_scene_keeps_its_rig(self):
        self.assemble(newScene=True, force=True)
        path = os.path.join(self.out, "scene.ma")
        self.cmds.file(rename=path)
        self.cmds.file(save=True, type="mayaAscii")
        self.cmds.file(path, open=True, force=True)
        self.assert_made_from_the_demo()
        self.assert_jaw_opens()

    def test_a_scene_that_was_written_without_maya_opens_and_moves(self):
        scene = os.path.join(DEMO, "rig.ma")
        if not os.path.isfile(scene):
            self.skipTest("there is no " + scene)
        self.cmds.file(scene, open=True, force=True)
        self.assert_made_from_the_demo()
        self.assert_jaw_opens()

    def installation(self):
        """An installation of the test's own making, with a board for the demo's head and a script that connects the jaw."""
        self.assemble(newScene=True, force=True)
        rig = self.cmds.getAttr("rig.mhrigHeadRig")
        controls = [name for name in self.cmds.sets("FacialControls", query=True) if "Aim" not in name]
        resources = "lib/assembler/1.0/mh_character_assembler/assets/" + rig
        gui = ['//Maya ASCII 2024 scene', 'requires maya "2024";', 'createNode transform -n "gui";']
        gui += ['createNode transform -n "%s" -p "gui";' % name for name in ["CTRL_expressions"] + controls]
        script = """from maya import cmds


def run_after_assemble(top, rig, settings):
    cmds.group(empty=True, name="headGui_grp", parent=rig)
    cmds.parent("CTRL_expressions", "headGui_grp")


def connect_expressions():
    for value in (0, 1):
        cmds.setDrivenKeyframe("CTRL_expressions.jawOpen", currentDriver="CTRL_C_jaw.translateY", driverValue=value,
                               value=value, inTangentType="linear", outTangentType="linear")
"""
        manifest = json.dumps({"PYTHONPATH": ["assembler/1.0"]})
        year = self.cmds.about(version=True)[:4]
        for path, text in (("env/win64-%s.json" % year, manifest), (resources + "/gui.ma", "\n".join(gui) + "\n"),
                           (resources + "/ass_json.py", script)):
            path = os.path.join(self.out, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)

    def test_a_board_of_an_installation_moves_the_rig_and_undo_takes_all_of_it_away(self):
        self.installation()
        self.cmds.file(new=True, force=True)
        before = self.cmds.ls(long=True)
        report = json.loads(self.assemble(faceBoard="epic", epicRoot=self.out, json=True))
        board = report["face_board"]
        self.assertTrue(board["script_ran"], report["findings"])
        self.assertEqual(board["connected_by_script"], 1)
        self.assertGreater(board["connected_by_curves"], 10)
        self.assertEqual(board["without_control"], [])
        self.assert_jaw_opens()
        self.cmds.undo()  # the jaw
        self.cmds.undo()
        self.assertEqual(before, self.cmds.ls(long=True))

    def test_an_unknown_name_is_an_error(self):
        with self.assertRaises(RuntimeError):
            self.cmds.mhCheckTopology("no_such_mesh", archetype=self.archetype)

    def test_it_unloads_and_loads_again(self):
        self.cmds.flushUndo()
        name = os.path.splitext(os.path.basename(PLUGIN))[0]
        for _ in range(2):
            self.cmds.unloadPlugin(name)
            self.cmds.loadPlugin(PLUGIN)
        self.assertTrue(self.cmds.pluginInfo(name, query=True, loaded=True))


def main():
    global PLUGIN, DEMO
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__ + "\n")
        return 2
    PLUGIN, DEMO = (os.path.abspath(argument) for argument in sys.argv[1:])
    import maya.standalone

    maya.standalone.initialize(name="python")
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(PluginTest)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    maya.standalone.uninitialize()
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
