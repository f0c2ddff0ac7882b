#pragma once

#include <string>

#include "isochor/files/base64.h"
#include "isochor/files/text_scanner.h"

/// Files as other programs wrote them, byte by byte.
namespace isochor::files {

inline std::string from_base64(std::string_view text) {
  return std::string(text_of(decode_base64(text).value()));
}

/// Two tetrahedra over five points, by VTK 9.1: text.
inline constexpr std::string_view kVtkAscii =
    R"vtk(<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian" header_type="UInt32">
  <UnstructuredGrid>
    <Piece NumberOfPoints="5" NumberOfCells="2">
      <PointData Vectors="v">
        <DataArray type="Float32" Name="heat" format="ascii" RangeMin="-2" RangeMax="3.25">
          0 0.5 1 -2 3.25
        </DataArray>
        <DataArray type="Float64" Name="v" NumberOfComponents="3" format="ascii" RangeMin="0" RangeMax="40.39801975344831">
          0 0 0 1 10 -1
          2 20 -2 3 30 -3
          4 40 -4
          <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">
            <Value index="0">
              0
            </Value>
            <Value index="1">
              40.398019753
            </Value>
          </InformationKey>
        </DataArray>
      </PointData>
      <CellData>
        <DataArray type="Int32" Name="zone" format="ascii" RangeMin="-3" RangeMax="7">
          7 -3
        </DataArray>
        <Array type="String" Name="label" format="ascii">
          108 101 102 116 0 114 105 103 104 116 0
        </Array>
      </CellData>
      <Points>
        <DataArray type="Float64" Name="Points" NumberOfComponents="3" format="ascii" RangeMin="0" RangeMax="1.7320508075688772">
          0 0 0 1 0 0
          0 1 0 0 0 1
          1 1 1
          <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">
            <Value index="0">
              0
            </Value>
            <Value index="1">
              1.7320508076
            </Value>
          </InformationKey>
        </DataArray>
      </Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="ascii" RangeMin="0" RangeMax="4">
          0 1 2 3 1 2
          3 4
        </DataArray>
        <DataArray type="Int64" Name="offsets" format="ascii" RangeMin="4" RangeMax="8">
          4 8
        </DataArray>
        <DataArray type="UInt8" Name="types" format="ascii" RangeMin="10" RangeMax="10">
          10 10
        </DataArray>
      </Cells>
    </Piece>
  </UnstructuredGrid>
</VTKFile>
)vtk";

/// The same within the elements: base64, packed in blocks of 24 bytes, big endian.
inline constexpr std::string_view kVtkInlinePacked =
    R"vtk(<VTKFile type="UnstructuredGrid" version="1.0" byte_order="BigEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <UnstructuredGrid>
    <Piece NumberOfPoints="5" NumberOfCells="2">
      <PointData Vectors="v">
        <DataArray type="Float32" Name="heat" format="binary" RangeMin="-2" RangeMax="3.25">
          AAAAAAAAAAEAAAAAAAAAGAAAAAAAAAAUAAAAAAAAABg=eF5jYGBgsAfhBgaGA0DaIYCBAQAUaAJP
        </DataArray>
        <DataArray type="Float64" Name="v" NumberOfComponents="3" format="binary" RangeMin="0" RangeMax="40.39801975344831">
          AAAAAAAAAAUAAAAAAAAAGAAAAAAAAAAAAAAAAAAAAAsAAAAAAAAAEwAAAAAAAAASAAAAAAAAABMAAAAAAAAAEw==eF5jYMAOAAAYAAF4XrP/wAAGDioQej+UDwAuNANDeF5zYIAABxMIfQDKBwATJAF1eF5z4GAAAwc7CH0AygcAFKoBj3hecxBgAAMHFwh9AMoHABX0AaU=
          <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">
            <Value index="0">
              0
            </Value>
            <Value index="1">
              40.398019753
            </Value>
          </InformationKey>
        </DataArray>
      </PointData>
      <CellData>
        <DataArray type="Int32" Name="zone" format="binary" RangeMin="-3" RangeMax="7">
          AAAAAAAAAAEAAAAAAAAAGAAAAAAAAAAIAAAAAAAAABA=eF5jYGBg/////18ACh8EAg==
        </DataArray>
        <Array type="String" Name="label" format="binary">
          AAAAAAAAAAEAAAAAAAAAGAAAAAAAAAALAAAAAAAAABM=eF7LSU0rYSjKTM8oYQAAGEwDyg==
        </Array>
      </CellData>
      <Points>
        <DataArray type="Float64" Name="Points" NumberOfComponents="3" format="binary" RangeMin="0" RangeMax="1.7320508075688772">
          AAAAAAAAAAUAAAAAAAAAGAAAAAAAAAAAAAAAAAAAAAsAAAAAAAAADQAAAAAAAAAQAAAAAAAAAA8AAAAAAAAADw==eF5jYMAOAAAYAAF4XrP/wIAVAAAbkAEweF5jYIAA+w8MKAAAEhgBMHheY2BABfYfIDQACKABMHhes//AAAb2aDQANhgDjg==
          <InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">
            <Value index="0">
              0
            </Value>
            <Value index="1">
              1.7320508076
            </Value>
          </InformationKey>
        </DataArray>
      </Points>
      <Cells>
        <DataArray type="Int64" Name="connectivity" format="binary" RangeMin="0" RangeMax="4">
          AAAAAAAAAAMAAAAAAAAAGAAAAAAAAAAQAAAAAAAAAA8AAAAAAAAAEgAAAAAAAAAQeF5jYEABjFCaCQAAIwAEeF5jYAADZgjFwAilmQAAVgAHeF5jYAADZgjFwAIAAC8ACA==
        </DataArray>
        <DataArray type="Int64" Name="offsets" format="binary" RangeMin="4" RangeMax="8">
          AAAAAAAAAAEAAAAAAAAAGAAAAAAAAAAQAAAAAAAAABA=eF5jYAADFgjFwAEAADwADQ==
        </DataArray>
        <DataArray type="UInt8" Name="types" format="binary" RangeMin="10" RangeMax="10">
          AAAAAAAAAAEAAAAAAAAAGAAAAAAAAAACAAAAAAAAAAo=eF7j4gIAACAAFQ==
        </DataArray>
      </Cells>
    </Piece>
  </UnstructuredGrid>
</VTKFile>
)vtk";

/// The same appended as raw bytes, packed, as ParaView does it unless told otherwise; in base64.
inline constexpr std::string_view kVtkRawPackedBase64 =
    "PFZUS0ZpbGUgdHlwZT0iVW5zdHJ1Y3R1cmVkR3JpZCIgdmVyc2lvbj0iMC4xIiBieXRlX29yZGVyPSJMaXR0bGVFbmRp"
    "YW4iIGhlYWRlcl90eXBlPSJVSW50MzIiIGNvbXByZXNzb3I9InZ0a1pMaWJEYXRhQ29tcHJlc3NvciI+CiAgPFVuc3Ry"
    "dWN0dXJlZEdyaWQ+CiAgICA8UGllY2UgTnVtYmVyT2ZQb2ludHM9IjUiICAgICAgICAgICAgICAgICAgICBOdW1iZXJP"
    "ZkNlbGxzPSIyIiAgICAgICAgICAgICAgICAgICA+CiAgICAgIDxQb2ludERhdGEgVmVjdG9ycz0idiI+CiAgICAgICAg"
    "PERhdGFBcnJheSB0eXBlPSJGbG9hdDMyIiBOYW1lPSJoZWF0IiBmb3JtYXQ9ImFwcGVuZGVkIiBSYW5nZU1pbj0iLTIi"
    "ICAgICAgICAgICAgICAgICAgIFJhbmdlTWF4PSIzLjI1IiAgICAgICAgICAgICAgICAgb2Zmc2V0PSIwIiAgICAgICAg"
    "ICAgICAgICAgICAvPgogICAgICAgIDxEYXRhQXJyYXkgdHlwZT0iRmxvYXQ2NCIgTmFtZT0idiIgTnVtYmVyT2ZDb21w"
    "b25lbnRzPSIzIiBmb3JtYXQ9ImFwcGVuZGVkIiBSYW5nZU1pbj0iMCIgICAgICAgICAgICAgICAgICAgIFJhbmdlTWF4"
    "PSI0MC4zOTgwMTk3NTMiICAgICAgICAgb2Zmc2V0PSIzOSIgICAgICAgICAgICAgICAgICAvPgogICAgICA8L1BvaW50"
    "RGF0YT4KICAgICAgPENlbGxEYXRhPgogICAgICAgIDxEYXRhQXJyYXkgdHlwZT0iSW50MzIiIE5hbWU9InpvbmUiIGZv"
    "cm1hdD0iYXBwZW5kZWQiIFJhbmdlTWluPSItMyIgICAgICAgICAgICAgICAgICAgUmFuZ2VNYXg9IjciICAgICAgICAg"
    "ICAgICAgICAgICBvZmZzZXQ9IjE2NSIgICAgICAgICAgICAgICAgIC8+CiAgICAgICAgPEFycmF5IHR5cGU9IlN0cmlu"
    "ZyIgTmFtZT0ibGFiZWwiIGZvcm1hdD0iYXBwZW5kZWQiIG9mZnNldD0iMTk3IiAgICAgICAgICAgICAgICAgLz4KICAg"
    "ICAgPC9DZWxsRGF0YT4KICAgICAgPFBvaW50cz4KICAgICAgICA8RGF0YUFycmF5IHR5cGU9IkZsb2F0NjQiIE5hbWU9"
    "IlBvaW50cyIgTnVtYmVyT2ZDb21wb25lbnRzPSIzIiBmb3JtYXQ9ImFwcGVuZGVkIiBSYW5nZU1pbj0iMCIgICAgICAg"
    "ICAgICAgICAgICAgIFJhbmdlTWF4PSIxLjczMjA1MDgwNzYiICAgICAgICAgb2Zmc2V0PSIyMzIiICAgICAgICAgICAg"
    "ICAgICAvPgogICAgICA8L1BvaW50cz4KICAgICAgPENlbGxzPgogICAgICAgIDxEYXRhQXJyYXkgdHlwZT0iSW50NjQi"
    "IE5hbWU9ImNvbm5lY3Rpdml0eSIgZm9ybWF0PSJhcHBlbmRlZCIgUmFuZ2VNaW49IiIgICAgICAgICAgICAgICAgICAg"
    "ICBSYW5nZU1heD0iIiAgICAgICAgICAgICAgICAgICAgIG9mZnNldD0iMzM2IiAgICAgICAgICAgICAgICAgLz4KICAg"
    "ICAgICA8RGF0YUFycmF5IHR5cGU9IkludDY0IiBOYW1lPSJvZmZzZXRzIiBmb3JtYXQ9ImFwcGVuZGVkIiBSYW5nZU1p"
    "bj0iIiAgICAgICAgICAgICAgICAgICAgIFJhbmdlTWF4PSIiICAgICAgICAgICAgICAgICAgICAgb2Zmc2V0PSI0MDYi"
    "ICAgICAgICAgICAgICAgICAvPgogICAgICAgIDxEYXRhQXJyYXkgdHlwZT0iVUludDgiIE5hbWU9InR5cGVzIiBmb3Jt"
    "YXQ9ImFwcGVuZGVkIiBSYW5nZU1pbj0iIiAgICAgICAgICAgICAgICAgICAgIFJhbmdlTWF4PSIiICAgICAgICAgICAg"
    "ICAgICAgICAgb2Zmc2V0PSI0MzYiICAgICAgICAgICAgICAgICAvPgogICAgICA8L0NlbGxzPgogICAgPC9QaWVjZT4K"
    "ICA8L1Vuc3RydWN0dXJlZEdyaWQ+CiAgPEFwcGVuZGVkRGF0YSBlbmNvZGluZz0icmF3Ij4KICAgXwEAAAAYAAAAFAAA"
    "ABcAAAB4XmNgAAN7BoYGIGY4wMAQ4AAADx4CTwUAAAAYAAAAAAAAAAsAAAAWAAAAEwAAABUAAAAVAAAAeF5jYMAOAAAY"
    "AAF4XmNgAIEP9mCKQcUBQn/YDwAbbgNDeF5jYAADBwhlAqUZDgAACWABdXheY2AAAQ4HMMVgB6U5DgAACmQBj3heY2AA"
    "AQEHMMXgAqUFDgAAC0ABpQEAAAAYAAAACAAAABAAAAB4XmNnYGD4+///fwAKLgQCAQAAABgAAAALAAAAEwAAAHhey0lN"
    "K2EoykzPKGEAABhMA8oFAAAAGAAAAAAAAAALAAAAEAAAAA8AAAAOAAAAEAAAAHheY2DADgAAGAABeF5jYACBD/YMaAAA"
    "FScBMHheY2BABh/sYSwAC68BMHheY2DABj7YAwACNwEweF5jYACBD/YMaDQAIt0DjgMAAAAYAAAAEAAAABAAAAAQAAAA"
    "DgAAAHheY2CAAEYozQSlAQA4AAR4XmNmgABGKM0EpQEAgAAHeF5jZoAAFigNAABgAAgBAAAAGAAAABAAAAAOAAAAeF5j"
    "YYAADigNAACQAA0BAAAAGAAAAAIAAAAKAAAAeF7j4gIAACAAFQogIDwvQXBwZW5kZWREYXRhPgo8L1ZUS0ZpbGU+Cg==";

/// By numpy 1.24, numpy.savez_compressed: zone (uint8), stiffness (float32), place (float64, 3 x 2
/// in Fortran's order), names (text), big (float64, big endian), flag (bool), one (a single int64);
/// in base64.
inline constexpr std::string_view kNumpyPackedBase64 =
    "UEsDBBQAAAAIAAAAIQDmwdeXRwAAAIMAAAAIABQAem9uZS5ucHkBABAAgwAAAAAAAABHAAAAAAAAAJvsF+obEMnIUMZQ"
    "rZ6SWpxcpG6loF5Taqiuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GsY6mjoKtQoUAC4GxhMAUEsDBBQAAAAI"
    "AAAAIQDYgFNLTwAAAIwAAAANABQAc3RpZmZuZXNzLm5weQEAEACMAAAAAAAAAE8AAAAAAAAAm+wX6hsQychQxlCtnpJa"
    "nFykbqWgbpNmoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkaxjqaOgq1ChQALgaGBnsGhgNAzOAAAFBLAwQU"
    "AAAACAAAACEAsuVueFYAAACwAAAACQAUAHBsYWNlLm5weQEAEACwAAAAAAAAAFYAAAAAAAAAm+wX6hsQychQxlCtnpJa"
    "nFykbqWgbpNmoa6joJ6WX1RSlJgXn1+UkgoSDykqTQUKF2ckFqQCuRrGOgpGmjoKtQrkAy4GVOAAoQSg9Ad7CM0B5Ys4"
    "AABQSwMEFAAAAAgAAAAhAKcv4OxLAAAAiAAAAAkAFABuYW1lcy5ucHkBABAAiAAAAAAAAABLAAAAAAAAAJvsF+obEMnI"
    "UMZQrZ6SWpxcpG6loG4Taqiuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6mjoKtQoUAK5EBgaGJCAGAFBL"
    "AwQUAAAACAAAACEAVwOVH00AAACQAAAABwAUAGJpZy5ucHkBABAAkAAAAAAAAABNAAAAAAAAAJvsF+obEMnIUMZQrZ6S"
    "WpxcpG6loG6XZqGuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6mjoKtQoUAC77HwxgcABCMQAAUEsDBBQA"
    "AAAIAAAAIQDuGbtdRgAAAIIAAAAIABQAZmxhZy5ucHkBABAAggAAAAAAAABGAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxc"
    "pG6loF6TZKiuo6Cell9UUpSYF59flJIKEndLzClOBYoXZyQWpAL5GkY6mjoKtQoUAC5GBgBQSwMEFAAAAAgAAAAhALW/"
    "GaZGAAAAiAAAAAcAFABvbmUubnB5AQAQAIgAAAAAAAAARgAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBuk2mhrqOg"
    "npZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RqaOgq1ChQBrt//IQAAUEsBAhQDFAAAAAgAAAAhAObB15dHAAAAgwAA"
    "AAgAAAAAAAAAAAAAAIABAAAAAHpvbmUubnB5UEsBAhQDFAAAAAgAAAAhANiAU0tPAAAAjAAAAA0AAAAAAAAAAAAAAIAB"
    "gQAAAHN0aWZmbmVzcy5ucHlQSwECFAMUAAAACAAAACEAsuVueFYAAACwAAAACQAAAAAAAAAAAAAAgAEPAQAAcGxhY2Uu"
    "bnB5UEsBAhQDFAAAAAgAAAAhAKcv4OxLAAAAiAAAAAkAAAAAAAAAAAAAAIABoAEAAG5hbWVzLm5weVBLAQIUAxQAAAAI"
    "AAAAIQBXA5UfTQAAAJAAAAAHAAAAAAAAAAAAAACAASYCAABiaWcubnB5UEsBAhQDFAAAAAgAAAAhAO4Zu11GAAAAggAA"
    "AAgAAAAAAAAAAAAAAIABrAIAAGZsYWcubnB5UEsBAhQDFAAAAAgAAAAhALW/GaZGAAAAiAAAAAcAAAAAAAAAAAAAAIAB"
    "LAMAAG9uZS5ucHlQSwUGAAAAAAcABwB/AQAAqwMAAAAA";

}  // namespace isochor::files
