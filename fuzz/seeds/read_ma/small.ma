//Maya ASCII 2024 scene
file -r -ns "n" -rfn "nRN" "c:/n.ma";
requires maya "2024";
currentUnit -l cm -a deg;
createNode transform -n "g"; setAttr ".t" -type "double3" 1 2 3; setAttr ".opm" -type "matrix" 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1;
createNode mesh -n "s" -p "g";
setAttr ".pt[1]" -type "float3" 0 0 1;
setAttr ".uvst[0].uvsn" -type "string" "map\"1";
setAttr -s 3 ".uvst[0].uvsp[0:2]" -type "float2" 0 0 1 0 1 1;
setAttr -s 3 ".vt[0:2]"  0 0 0 1 0 0 1 1 0;
setAttr -s 3 ".ed[0:2]"  0 1 0 1 2 0 2 0 0;
setAttr ".fc[0]" -type "polyFaces" f 3 0 1 2 mu 0 3 0 1 2 h 3 -1 -3 -2;
createNode transform -n "i"; parent -s -nc -r -add "|g|s" "i";
createNode mesh -n "d" -p "i"; createNode tweak -n "t"; setAttr ".vl[0].vt[0]" 1 1 1;
connectAttr "s.w" "t.ip[0].ig"; connectAttr "t.og[0]" "d.i"; /* end */ // end
