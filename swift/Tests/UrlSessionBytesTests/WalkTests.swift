import Foundation
import XCTest
@testable import UrlSessionBytes

final class WalkTests: XCTestCase {
    func testEveryWalkSumsEveryByte() {
        for length in [0, 1, 255, 100_003] {
            let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let expected = (0..<length).reduce(UInt64(0)) { $0 + UInt64(UInt8(truncatingIfNeeded: $1 &* 31)) }
            for walk in Walk.allCases {
                var total = Total()
                total.add(data, walk)
                XCTAssertEqual(total, Total(sum: expected, length: length), "\(walk)")
            }
        }
    }

    // A slice of a Data keeps the indexes of the whole.
    func testWalksStayWithinASlice() {
        let data = Data([1, 2, 4, 8, 16])[1..<4]
        for walk in Walk.allCases {
            XCTAssertEqual(walk.sum(data), 14, "\(walk)")
        }
    }

    func testWaysAreFourteenAndFoundByTheirNames() {
        XCTAssertEqual(Way.all.count, 14)
        for way in Way.all {
            XCTAssertEqual(Way.named(way.name), way)
        }
        XCTAssertNil(Way.named("UrlSessionBytesUnsafe"))
    }
}
